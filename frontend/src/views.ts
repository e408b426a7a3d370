// Every view as a custom element. This file alone is enough for a book, a notebook or a shared file.
import { define } from "./element.svelte";
import attention from "./styles/attention.css?inline";
import check from "./styles/check.css?inline";
import graph from "./styles/graph.css?inline";
import lab from "./styles/lab.css?inline";
import mixture from "./styles/mixture.css?inline";
import operator from "./styles/operator.css?inline";
import playground from "./styles/playground.css?inline";
import Attention from "./views/attention/Attention.svelte";
import Check from "./views/check/Check.svelte";
import Graph from "./views/graph/Graph.svelte";
import Lab from "./views/lab/Lab.svelte";
import Run from "./views/lab/Run.svelte";
import Mixture from "./views/mixture/Mixture.svelte";
import Operator from "./views/operator/Operator.svelte";
import Playground from "./views/playground/Playground.svelte";

define("regard-lab", Lab, lab);
define("regard-run", Run, lab);
define("regard-attention", Attention, attention);
define("regard-playground", Playground, playground);
define("regard-operator", Operator, operator);
define("regard-graph", Graph, graph);
define("regard-mixture", Mixture, mixture);
define("regard-check", Check, check);
