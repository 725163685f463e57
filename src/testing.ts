// rockpool/testing: helpers for tests of an agent, a tool or a medium, without a network, a browser or waiting. The
// inline host itself is in rockpool/inline.
import './core/symbol-dispose.ts';
export { createInlineHost } from './hosts/inline/create-inline-host.ts';
export type { InlineHostOptions } from './hosts/inline/create-inline-host.ts';
export { createScriptedAnswers } from './hosts/inline/scripted-answers.ts';
export type { AskedQuestion, ScriptedAnswers } from './hosts/inline/scripted-answers.ts';
export { createVirtualClock } from './hosts/inline/virtual-clock.ts';
export type { VirtualClock } from './hosts/inline/virtual-clock.ts';
export { parseScript } from './model/script.ts';
export type { Script, ScriptBlock, ScriptTask, ScriptTurn } from './model/script.ts';
export { createScriptedModel } from './model/scripted.ts';
export type { ScriptedModelOptions } from './model/scripted.ts';
export { createMemoryWorkspace } from './workspace/memory-workspace.ts';
export type { MemoryWorkspaceOptions } from './workspace/memory-workspace.ts';
export { listLogMediumClaims } from './workspace/drivers/log-medium-claims.ts';
export type {
  LogMediumClaim,
  MediumPlace,
  MediumTraits,
} from './workspace/drivers/log-medium-claims.ts';
export type { ContentStore } from './workspace/log/content-store.ts';
export type { AppendFile, LogMedium, MediumFile, ReadFile } from './workspace/log/log-medium.ts';
