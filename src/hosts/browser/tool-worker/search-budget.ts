// What a tool worker's searches may keep in memory, by what the device can bear.
import type { SearchOptions } from '../../../search/index/search-memory.ts';
import type { Hardware } from '../pool/pool-size.ts';

/**
 * Where memory is short, a third of the texts, and bitmaps of half the size, for which 1.5 times
 * the files are read. Memory is short below 4 GB, as {@link Hardware} tells it. Browsers that don't
 * tell are taken to have enough.
 */
export function chooseSearchBudget({ deviceMemory = 8 }: Hardware): SearchOptions {
  return deviceMemory < 4 ? { maxTextBytes: 33_554_432, bitsPerTrigram: 4 } : {};
}
