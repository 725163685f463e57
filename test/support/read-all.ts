// All that an async iterable gives, as `Array.fromAsync` has it, which Node 20 hasn't.

/** Rejects where the iterable fails. */
export async function readAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
