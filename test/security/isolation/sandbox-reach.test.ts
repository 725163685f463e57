// Attacks that want to get at something: out of the engine, at the network, the origin's storage, files
// that rules keep from cells, other conversations.
import { escapes } from './attacks/escape.ts';
import { exfiltrations } from './attacks/exfiltration.ts';
import { fileAttacks } from './attacks/file-permissions.ts';
import { hostFunctionAttacks } from './attacks/host-functions.ts';
import { sideChannels } from './attacks/side-channels.ts';
import { storageAttacks } from './attacks/storage.ts';
import { judgeAttacks } from './judge-attacks.ts';

judgeAttacks({
  escape: escapes,
  exfiltration: exfiltrations,
  storage: storageAttacks,
  'file-permission bypass': fileAttacks,
  'side channel': sideChannels,
  'host-function abuse': hostFunctionAttacks,
});
