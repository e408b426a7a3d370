// The places of a tree of beginnings: a column for each step, leaves one under the other.
import { hierarchy, tree, type HierarchyPointNode } from "d3-hierarchy";
import { linkHorizontal } from "d3-shape";

import type { BeamNode, Num } from "../../server/documents";

interface Placed {
  nodes: { x: number; y: number; token: string; logp: Num; kept: boolean }[];
  links: { path: string; kept: boolean }[];
  width: number;
  height: number;
}

const [STEP, LINE, LEFT] = [80, 16, 18];

interface Branch {
  node: BeamNode | null;
  children: Branch[];
}

export function placed(nodes: BeamNode[]): Placed {
  if (!nodes.length) return { nodes: [], links: [], width: 0, height: 0 };
  const root: Branch = { node: null, children: [] };
  const branches = new Map<string, Branch>(nodes.map((node) => [String(node.id), { node, children: [] }]));
  for (const branch of branches.values()) (branches.get(String(branch.node!.parent)) ?? root).children.push(branch);
  const top = tree<Branch>().nodeSize([LINE, STEP])(hierarchy(root));
  const all = top.descendants();
  const low = Math.min(...all.map((one) => one.x));
  const at = (one: HierarchyPointNode<Branch>): [number, number] => [one.y - STEP + LEFT, one.x - low + LINE / 2];
  const line = linkHorizontal<unknown, [number, number]>();
  const wide = (one: HierarchyPointNode<Branch>) => [...(one.data.node?.token ?? "")].slice(0, 12).length * 7.6 + 6;
  const inner = all.filter((one) => one.data.node);
  return {
    nodes: inner.map((one) => {
      const { token, logp, kept } = one.data.node!;
      return { x: at(one)[0], y: at(one)[1], token, logp, kept: kept !== false };
    }),
    links: inner
      .filter((one) => one.parent?.data.node)
      .map((one) => {
        const [x, y] = at(one.parent!);
        return { path: line({ source: [x + wide(one.parent!), y], target: [at(one)[0] - 4, at(one)[1]] }) ?? "", kept: one.data.node!.kept !== false };
      }),
    width: Math.max(...all.map((one) => one.depth)) * STEP + LEFT + 20,
    height: Math.max(...all.map((one) => one.x)) - low + LINE,
  };
}
