// Both sides of the wire in one realm of Node.
import { expect, it } from 'vitest';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { wireContract } from '../../contract/wire.contract.ts';
import { openMemoryWire } from '../../support/wire/memory-wire.ts';

wireContract('sockets of one realm', openMemoryWire);

it.each([-1, Number.NaN, 1.5])('refuses to connect behind a message %d', async (after) => {
  const connecting = connectSession('http://127.0.0.1:9/wire', { ticket: 'x', after });
  await expect(connecting).rejects.toThrow('after is the n of the last message that you have');
});
