// Limits what a tool worker's searches may cache, depending on the device.
import type { SearchOptions } from '../../../search/index/search-memory.ts';
import type { Hardware } from '../pool/pool-size.ts';

/**
 * On little memory, caches a third of the texts, and bitmaps of half the size, for which 1.5 times
 * as many files are read. Little means below 4 GB according to {@link Hardware}. Browsers that
 * don't tell count as having enough.
 */
export function chooseSearchBudget({ deviceMemory = 8 }: Hardware): SearchOptions {
  return deviceMemory < 4 ? { maxTextBytes: 33_554_432, bitsPerTrigram: 4 } : {};
}
