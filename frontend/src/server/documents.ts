// The documents that the views are fed with. A field that may be missing is optional: views do without it.

/** A number, or the word for one that JSON has no digits for. */
export type Num = number | "nan" | "inf" | "-inf" | null;

export interface Document {
  kind: string;
  version?: number;
}

export interface Counts {
  held?: number;
  failed?: number;
  "not settled"?: number;
}

export interface ExperimentEntry {
  name: string;
  title?: string;
  question?: string;
  seconds?: number;
  states?: Counts | null;
  recorded?: Counts | null;
  latest?: string | null;
  runs?: number;
}

export interface Job {
  id: string;
  run?: string | null;
  experiment?: string;
  name?: string;
  state?: string;
  share?: number;
  what?: string;
  error?: Trouble | null;
}

export interface LabDocument extends Document {
  chapters?: { name: string; experiments: ExperimentEntry[] }[];
  running?: Job[];
  machine?: Record<string, unknown>;
  /** Whether experiments are still being read: their settings come later. */
  loading?: boolean;
}

export interface Field {
  name: string;
  type?: string;
  value: unknown;
  doc?: string;
  optional?: boolean;
  /** The range in words. */
  said?: string;
  low?: Num;
  high?: Num;
  choices?: unknown[] | null;
}

export interface ExperimentDocument extends Document {
  name: string;
  title?: string;
  question?: string;
  method?: string;
  see?: string;
  correction?: string;
  seconds?: number;
  claims?: Claim[];
  presets?: Record<string, Field[]>;
}

export interface RunEntry {
  id: string;
  name: string;
  preset?: string;
  state?: string;
  started?: string | number;
  seconds?: number;
  claims?: Counts;
  changes?: unknown;
  recorded?: boolean;
}

export interface RunsDocument extends Document {
  runs: RunEntry[];
  more?: boolean;
}

export interface Claim {
  name: string;
  state?: string;
  value?: Num;
  band?: string;
  low?: Num;
  high?: Num;
  why?: string;
  source?: string;
  reason?: string;
  sentence?: string;
}

export interface Series {
  label: string;
  x: Num[];
  mean: Num[];
  low?: Num[] | null;
  high?: Num[] | null;
  seeds?: number;
}

export interface Curve {
  name: string;
  axis?: string;
  series: Series[];
  left_out?: number;
}

export interface RunDocument extends Document {
  /** "yours" where the experiment does not come with the package. */
  chapter?: string;
  id?: string;
  name: string;
  title?: string;
  question?: string;
  answer?: string[];
  see?: string;
  error?: string;
  problem?: Trouble | null;
  recorded?: boolean;
  models?: string[];
  state?: string;
  preset?: string;
  settings?: Record<string, unknown>;
  seed?: number;
  environment?: Record<string, unknown>;
  seconds?: number;
  claims?: Claim[];
  numbers?: { name: string; mean: Num; low?: Num; high?: Num; count?: number; what?: string }[];
  curves?: Curve[];
  tables?: { name: string; columns: string[]; rows: unknown[][]; caption?: string }[];
  texts?: { name: string; text: string }[];
  figures?: { name: string; caption?: string; url?: string; svg?: string }[];
}

export interface Interval {
  mean?: Num;
  low?: Num;
  high?: Num;
}

export interface ComparisonDocument extends Document {
  settings?: { name: string; first: unknown; second: unknown }[];
  numbers?: { name: string; first?: Interval | null; second?: Interval | null; difference?: Num | Interval }[];
  curves?: Curve[];
}

export interface Model {
  id: string;
  name: string;
  what?: string;
  kind?: string;
  context?: number;
  /** Of a vision model: how wide a picture it takes, and in how many colours. */
  side?: number;
  channels?: number;
  vocabulary?: number;
  layers?: number;
  heads?: number;
  parameters?: number;
  bundled?: boolean;
  made?: string;
  problem?: string | null;
}

export interface ModelsDocument extends Document {
  models: Model[];
}

export interface Guess {
  token: string;
  p: Num;
}

export interface AttentionDocument extends Document {
  model?: string;
  tokens: string[];
  layers: number;
  heads: number;
  n: number;
  weights: string;
  next?: Guess[] | null;
  before?: Guess[] | null;
  grid?: { rows: number; columns: number } | null;
  image?: { width: number; height: number; channels: number; pixels: number[] } | null;
  ablate?: [number, number][];
  names?: string[];
  notes?: string[];
}

export interface Candidate {
  id: number;
  token: string;
  p: Num;
  kept?: boolean;
  after?: Num;
}

export interface NextDocument extends Document {
  ids: number[];
  tokens: string[];
  distribution: Candidate[];
  kept?: number;
  mass?: number;
  /** What was left out of a prompt that is too long. */
  cut?: string;
}

export interface TokenEvent extends Document {
  id: number;
  token: string;
  p: Num;
  distribution?: Candidate[];
  reason?: string;
}

export interface BeamNode {
  id: string | number;
  parent: string | number | null;
  token: string;
  logp: Num;
  kept?: boolean;
}

export interface BeamEvent extends Document {
  step?: number;
  nodes?: BeamNode[];
  best?: { text: string; logp: Num };
}

/** What the playground shows without a server: one path and the distribution of each step. */
export interface PlaygroundDocument extends Document {
  model?: string;
  prompt?: string;
  steps?: TokenEvent[];
  beam?: BeamEvent[];
}

export interface OperatorDocument extends Document {
  row?: string;
  python?: string[];
  weights?: Num[][];
  output?: Num[][];
  backend?: string;
  reason?: string;
  cost?: { operations?: Num; bytes?: Num; formula?: string };
  choices?: Record<string, string[]>;
  chosen?: Record<string, string | number>;
  refused?: Trouble | null;
}

export interface GraphsDocument extends Document {
  graphs: { id: string; name: string; nodes?: number; edges?: number; made?: string; centres?: (number | string)[] }[];
}

export interface GraphDocument extends Document {
  id?: string;
  name?: string;
  nodes: { id: number | string; label?: string; x?: Num; y?: Num; klass?: number | string | null }[];
  edges: { source: number | string; target: number | string }[];
  layers?: { heads: Num[][] }[];
  epochs?: { epoch: number; xy: [number, number][]; accuracy?: Num; layers?: { heads: Num[][] }[] }[];
  classes?: string[];
  made?: string;
  centre?: number | string | null;
}

export interface MixtureFrame {
  epoch: number;
  gaussian?: { means: number[][]; covariances: number[][][]; weights?: number[]; loglik?: Num };
  uniform?: { centres: number[][]; sizes: number[][]; weights?: number[]; loglik?: Num; gradient?: unknown; size_gradient?: unknown; outside?: Num };
}

export interface MixtureDocument extends Document {
  points: number[][];
  made?: string;
  frames: MixtureFrame[];
}

export interface ChecksDocument extends Document {
  checks: { id: string; target: string; contract?: string; member?: string; state?: string; when?: string | number }[];
}

export interface CheckedPart {
  contract?: string;
  member?: string;
  verdict?: string;
  sentences?: string[];
  beside?: { what: string; sentence: string }[];
  evidence?: string[];
  line?: string | number | null;
  code?: string;
  fix?: string | null;
  /** The line of the right program at which the two part. */
  step?: string | null;
  /** The name of the mistake, which is also that of its page. */
  slug?: string | null;
  law?: string | null;
  title?: string;
  expected?: Num[][] | null;
  actual?: Num[][] | null;
  page?: { title?: string; known?: boolean; why?: string; right_lines?: { text: string; marked?: boolean }[] } | null;
}

export interface CheckDocument extends Document, CheckedPart {
  id?: string;
  target?: string;
  notes?: string[];
  /** One for each implementation in the file. */
  verdicts?: CheckedPart[];
}

export interface Trouble {
  what: string;
  got?: string;
  fix?: string;
  status?: number;
}
