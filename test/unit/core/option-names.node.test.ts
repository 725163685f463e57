// A misspelt option of a public constructor is refused, with near names: it may have been meant to limit something.
import { describe, expect, it } from 'vitest';
import { createModelClassifier } from '../../../src/agent/permissions/model-classifier.ts';
import { exportSession } from '../../../src/agent/stored-sessions/session-file.ts';
import { listSessions } from '../../../src/agent/stored-sessions/session-info.ts';
import { forkSession } from '../../../src/agent/stored-sessions/manage-sessions.ts';
import { createEdgeHost } from '../../../src/hosts/edge/create-edge-host.ts';
import { createSessionDirectory } from '../../../src/hosts/edge/directory/create-session-directory.ts';
import { createSessionObject } from '../../../src/hosts/edge/object/create-session-object.ts';
import { createGitProxy } from '../../../src/hosts/edge/proxy/create-git-proxy.ts';
import { createMcpProxy } from '../../../src/hosts/edge/proxy/create-mcp-proxy.ts';
import { createModelProxy } from '../../../src/hosts/edge/proxy/create-model-proxy.ts';
import { createWebProxy } from '../../../src/hosts/edge/proxy/create-web-proxy.ts';
import { createObjectWire } from '../../../src/hosts/edge/wire/create-object-wire.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createSessionServer } from '../../../src/hosts/server/create-session-server.ts';
import { createPortLanguageServer } from '../../../src/lsp/port-server.ts';
import { createTypeScriptService } from '../../../src/lsp/typescript-service.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import { createAnthropicModel } from '../../../src/model/anthropic.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { bringBack } from '../../../src/wire/handover/bring-back.ts';
import { moveSession } from '../../../src/wire/handover/move-session.ts';
import { reclaimSession } from '../../../src/wire/handover/reclaim-session.ts';
import { exportZip } from '../../../src/workspace/archives/export-zip.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { openMedium } from '../../../src/workspace/drivers/open-medium.ts';
import { createGit } from '../../../src/workspace/git/commands/create-git.ts';
import { createGitHubForge } from '../../../src/workspace/git/forge/github-forge.ts';
import { createNpm } from '../../../src/workspace/npm/npm.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';

/** As a caller without types has it: what else there should be doesn't matter. */
type Untyped = (...given: readonly unknown[]) => unknown;
const any = (one: unknown) => one as Untyped;
const host = { workspace: { streams: {} } };
const model = { model: 'claude-sonnet-5-5', apiKey: 'sk-1' };
const ctx = { storage: { sql: {}, transactionSync: () => {} }, blockConcurrencyWhile: () => {} };

const cases: readonly (readonly [Untyped, readonly unknown[], string, string])[] = [
  [any(createAnthropicModel), [model], 'maxToken', 'maxTokens'],
  [any(createScriptedModel), [{ script: { turns: [] } }], 'chunkChar', 'chunkChars'],
  [any(createModelClassifier), [{}], 'polcy', 'policy'],
  [any(createSdkMcpServer), [{ name: 'x' }], 'timout', 'timeout'],
  [any(createModelProxy), [{}], 'autenticate', 'authenticate'],
  [any(createMcpProxy), [{}], 'requestPerMinute', 'requestsPerMinute'],
  [any(createGitProxy), [{}], 'maxRequestsBytes', 'maxRequestBytes'],
  [any(createWebProxy), [{}], 'origin', 'origins'],
  [any(createEdgeHost), [{}], 'checkPerMs', 'checksPerMs'],
  [any(createSessionObject), [ctx, {}], 'eventsWorkMs', 'eventWorkMs'],
  [any(createObjectWire), [{}, {}], 'authorise', 'authorize'],
  [any(createSessionDirectory), [ctx, {}], 'quota', 'quotas'],
  [any(createSessionServer), [{}], 'authorise', 'authorize'],
  [any(createInlineHost), [{}], 'limit', 'limits'],
  [any(createGit), [{}, {}], 'netwrok', 'network'],
  [any(createGitHubForge), [{}], 'credential', 'credentials'],
  [any(createNpm), [{}], 'registy', 'registry'],
  [any(createPortLanguageServer), [{}], 'conect', 'connect'],
  [any(createTypeScriptService), [{}], 'idleMS', 'idleMs'],
  [any(openWorkspace), [createMemoryMedium(), {}], 'limit', 'limits'],
  [any(openMedium), ['x', {}], 'patienceMS', 'patienceMs'],
  [any(connectSession), ['wss://example.com', {}], 'tickets', 'ticket'],
  [any(moveSession), ['x', 'https://example.com', {}], 'tickets', 'ticket'],
  [any(bringBack), ['https://example.com', {}], 'acceptRule', 'acceptRules'],
  [any(reclaimSession), ['https://example.com', {}], 'tickets', 'ticket'],
  [any(listSessions), [{ host }], 'ofset', 'offset'],
  [any(forkSession), ['x', { host }], 'upToMessageID', 'upToMessageId'],
  [any(exportSession), ['x', { host }], 'bases', 'base'],
  [any(exportZip), [{}, {}], 'excludes', 'exclude'],
];

describe.each(cases.map((one) => [one[0].name, one] as const))('%s', (name, one) => {
  it('refuses a misspelt option, and says what is near', async () => {
    const [make, given, wrong, right] = one;
    const options = { ...(given.at(-1) as object), [wrong]: 1 };
    const call = async () => make(...given.slice(0, -1), options);
    await expect(call()).rejects.toMatchObject({
      code: 'bad-usage',
      message: `${name} has no option named ${wrong}. Did you mean ${right}?`,
      data: { option: wrong },
    });
  });
});
