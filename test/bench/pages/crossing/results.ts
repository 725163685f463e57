// What both kinds of worker give: nothing, or 1 MB of bytes that are made once.
const megabyte = new Uint8Array(1_000_000).fill(7);

export const results: Readonly<Record<ResultName, () => Uint8Array | null>> = {
  Nothing: () => null,
  Megabyte: () => megabyte,
};

export type ResultName = 'Nothing' | 'Megabyte';
