// Chooses the number of a page's tool workers by the device.

/**
 * Facts that browsers tell about the device. Memory is in GB, rounded, and only known in Chromium.
 */
export interface Hardware {
  readonly hardwareConcurrency?: number;
  readonly deviceMemory?: number;
}

/**
 * Returns two to four: one for each core. At least two, because a waiting call uses no core. At
 * most two on little memory, because each worker has a replica and cached contents.
 */
export function choosePoolSize({ hardwareConcurrency = 2, deviceMemory = 8 }: Hardware): number {
  // 4 GB: with 64 MB of contents and a VM in each, four workers may take half a gigabyte.
  const most = deviceMemory < 4 ? 2 : 4;
  return Math.min(Math.max(hardwareConcurrency, 2), most);
}
