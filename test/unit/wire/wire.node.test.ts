// Both sides of the wire in one realm of Node.
import { wireContract } from '../../contract/wire.contract.ts';
import { openMemoryWire } from '../../support/memory-wire.ts';

wireContract('sockets of one realm', openMemoryWire);
