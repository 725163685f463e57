// How many tool workers a page has, by what the device can bear.

/** What browsers tell of the device; memory in GB, rounded, by Chromium only. */
export interface Hardware {
  readonly hardwareConcurrency?: number;
  readonly deviceMemory?: number;
}

/**
 * Two to four, one for each core. Two also where there is one core: a call that waits keeps none busy.
 * Not more than two where memory is short: each has a replica, and the contents that it has read.
 */
export function choosePoolSize({ hardwareConcurrency = 2, deviceMemory = 8 }: Hardware): number {
  // Below 4 GB: with 64 MB of contents and a VM each, four workers may hold half a gigabyte.
  const most = deviceMemory < 4 ? 2 : 4;
  return Math.min(Math.max(hardwareConcurrency, 2), most);
}
