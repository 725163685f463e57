// Both sides of the wire in one realm, in each runtime.
import { wireContract } from '../../contract/wire.contract.ts';
import { openMemoryWire } from '../../support/memory-wire.ts';

wireContract('sockets of one realm', openMemoryWire);
