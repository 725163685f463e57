/** Strongly connected components of a directed graph, by Tarjan's algorithm (1972). */

/** The groups of two or more nodes that reach each other, each sorted, in the order found. */
export function findCycles(edges: readonly (readonly [from: string, to: string])[]): string[][] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) {
    next.set(from, (next.get(from) ?? new Set()).add(to));
    if (!next.has(to)) next.set(to, new Set());
  }
  const order = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];

  function visit(node: string): number {
    const number = order.size;
    order.set(node, number);
    let low = number;
    open.push(node);
    for (const other of next.get(node) ?? []) {
      if (!order.has(other)) low = Math.min(low, visit(other));
      else if (open.includes(other)) low = Math.min(low, order.get(other) ?? low);
    }
    if (low === number) {
      const group = open.splice(open.indexOf(node));
      if (group.length > 1) cycles.push(group.toSorted());
    }
    return low;
  }

  for (const node of next.keys()) if (!order.has(node)) visit(node);
  return cycles;
}
