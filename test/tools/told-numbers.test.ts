// The numbers that the model is told of the tools are those that hold. Each stands in one place in
// the code, and the texts are made of it.
import { expect, it } from 'vitest';
import { toToolParam } from '../../src/agent/registry/to-tool-param.ts';
import { maxMessageResultsChars } from '../../src/core/tool/result-limits.ts';
import { pageFreshMinutes } from '../../src/core/host-ports/web.ts';
import { definitions } from '../../src/tools/definitions.ts';
import { maxWorktreeName } from '../../src/tools/enter-worktree/schema.ts';
import { maxListedFiles } from '../../src/tools/glob/schema.ts';
import { defaultHeadLimit } from '../../src/tools/grep/schema.ts';
import { maxListed } from '../../src/tools/lsp/schema.ts';
import { pageTokens } from '../../src/tools/read/schema.ts';
import { defaultTimeoutMs, maxTimeoutMs } from '../../src/tools/monitor/schema.ts';
import * as repl from '../../src/tools/repl/input.ts';
import { maxDelaySeconds, minDelaySeconds } from '../../src/tools/schedule-wakeup/schema.ts';
import { defaultSleepSeconds, maxSleepSeconds } from '../../src/tools/sleep/schema.ts';
import { defaultWaitMs } from '../../src/tools/task-output/schema.ts';
import { maxTeamName } from '../../src/tools/team-create/schema.ts';
import { usualWait } from '../../src/tools/wait-for-mcp-servers/schema.ts';
import { tickPixels } from '../../src/tools/web-browser/schema.ts';
import { poolOf } from '../support/stages/pool.ts';

const told: Readonly<Record<string, readonly number[]>> = {
  EnterWorktree: [maxWorktreeName],
  Glob: [maxListedFiles],
  Grep: [defaultHeadLimit],
  LSP: [maxListed],
  Monitor: [defaultTimeoutMs, maxTimeoutMs],
  Read: [pageTokens, maxMessageResultsChars],
  Repl: [
    repl.defaultTimeoutMs,
    repl.maxTimeoutMs,
    repl.defaultBackgroundTimeoutMs,
    repl.maxBackgroundTimeoutMs,
  ],
  ScheduleWakeup: [minDelaySeconds, maxDelaySeconds],
  Sleep: [defaultSleepSeconds, maxSleepSeconds],
  TaskOutput: [defaultWaitMs],
  TeamCreate: [maxTeamName],
  WaitForMcpServers: [usualWait],
  WebBrowser: [tickPixels],
  WebFetch: [pageFreshMinutes],
};

it.each(definitions)('$name tells the model no large number but those that hold', async (entry) => {
  const tool = await entry.load();
  const { description, input_schema } = await toToolParam(tool);
  const usage = await tool.prompt(poolOf([tool]).promptOptions);
  // The schema's own bounds are no words.
  const words = JSON.stringify([usage, description, input_schema], (key, value: unknown) =>
    /^(?:min|max)(?:imum|Length|Items)$/u.test(key) ? undefined : value,
  );
  const numbers = [...words.matchAll(/\b\d{1,3}(?:[ ,_]\d{3})+\b|\b\d{2,}\b/gu)].map(([text]) =>
    Number(text.replaceAll(/\D/gu, '')),
  );
  const known = told[entry.name] ?? [];
  // "In 5 to 10 words" of Repl's description, and JSON Schema's 2020-12, are no limits.
  const others = new Set(numbers.filter((number) => ![10, 12, 2020].includes(number)));
  expect([...others].toSorted((a, b) => a - b)).toEqual([...known].toSorted((a, b) => a - b));
});
