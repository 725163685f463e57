// The medium in memory keeps the contract that the media on disks keep.
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { describeLogMedium } from '../../contract/log-medium.contract.ts';

describeLogMedium(
  {
    driver: 'memory',
    isPersistent: false,
    formerOwner: 'none',
    replaces: true,
    readsAtOnce: true,
  },
  async (body) => {
    const medium = createMemoryMedium();
    const open = async () => medium;
    await body({ open, takeOver: open });
  },
);
