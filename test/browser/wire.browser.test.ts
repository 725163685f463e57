// The client of the wire in a page, and a server beside it.
import { wireContract } from '../contract/wire.contract.ts';
import { openMemoryWire } from '../support/memory-wire.ts';

wireContract('sockets of one page', openMemoryWire);
