// Places for the nodes of a graph, in a square from 0 to 1.
import { forceCenter, forceLink, forceManyBody, forceSimulation, type SimulationNodeDatum } from "d3-force";

import type { GraphDocument } from "../../server/documents";
import { number } from "../../server/words";

export type Place = [number, number];

function fitted(places: Place[]): Place[] {
  const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left || 1, Math.max(...ys) - top || 1];
  return places.map(([x, y]) => [(x - left) / width, (y - top) / height]);
}

/** The places that the document gives, or those at which springs along the edges come to rest. */
export function placesOf(graph: GraphDocument): Place[] {
  const given = graph.nodes.map((node): Place => [number(node.x), number(node.y)]);
  if (given.every(([x, y]) => Number.isFinite(x) && Number.isFinite(y))) return fitted(given);
  const nodes: SimulationNodeDatum[] = graph.nodes.map(() => ({}));
  const index = indexOf(graph);
  const links = graph.edges.map((edge) => ({ source: index.get(String(edge.source))!, target: index.get(String(edge.target))! }));
  forceSimulation(nodes)
    .force("push", forceManyBody().strength(-60))
    .force("pull", forceLink(links.filter((link) => link.source !== link.target)).distance(30))
    .force("centre", forceCenter())
    .stop()
    .tick(200);
  return fitted(nodes.map((node): Place => [node.x ?? 0, node.y ?? 0]));
}

export function indexOf(graph: GraphDocument): Map<string, number> {
  return new Map(graph.nodes.map((node, i) => [String(node.id), i]));
}

/** Places of each epoch, all on one scale so that movement is seen. */
export function embeddingsOf(graph: GraphDocument): Place[][] {
  const epochs = (graph.epochs ?? []).filter((epoch) => epoch.xy?.length === graph.nodes.length);
  const all = fitted(epochs.flatMap((epoch) => epoch.xy.map(([x, y]): Place => [number(x), number(y)])));
  return epochs.map((_, i) => all.slice(i * graph.nodes.length, (i + 1) * graph.nodes.length));
}
