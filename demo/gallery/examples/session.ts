// Calls of the tools that speak with the person, plan, and look for other tools.
import type {
  AskUserQuestionInput,
  AskUserQuestionOutput,
} from '../../../src/tools/ask-user-question/schema.ts';
import type { ConfigInput, ConfigOutput } from '../../../src/tools/config/schema.ts';
import type {
  EnterPlanModeInput,
  EnterPlanModeOutput,
} from '../../../src/tools/enter-plan-mode/schema.ts';
import type { AskedPlan, ExitPlanModeOutput } from '../../../src/tools/exit-plan-mode/schema.ts';
import type {
  PushNotificationInput,
  PushNotificationOutput,
} from '../../../src/tools/push-notification/schema.ts';
import type {
  ReportFindingsInput,
  ReportFindingsOutput,
} from '../../../src/tools/report-findings/schema.ts';
import type {
  SendUserFileInput,
  SendUserFileOutput,
} from '../../../src/tools/send-user-file/schema.ts';
import type {
  SendUserMessageInput,
  SendUserMessageOutput,
} from '../../../src/tools/send-user-message/schema.ts';
import type { SetGoalInput, SetGoalOutput } from '../../../src/tools/set-goal/schema.ts';
import type { SleepInput, SleepOutput } from '../../../src/tools/sleep/schema.ts';
import type { SnipInput, SnipOutput } from '../../../src/tools/snip/schema.ts';
import type {
  SyntheticOutputInput,
  SyntheticOutputOutput,
} from '../../../src/tools/synthetic-output/schema.ts';
import type { ToolSearchInput, ToolSearchOutput } from '../../../src/tools/tool-search/schema.ts';
import type {
  WaitForMcpServersInput,
  WaitForMcpServersOutput,
} from '../../../src/tools/wait-for-mcp-servers/schema.ts';
import type { ToolExample } from '../tool-example.ts';

const questions: AskUserQuestionInput['questions'] = [
  {
    question: 'How should 59 minutes and 30 seconds be shown?',
    header: 'Rounding',
    options: [
      { label: 'As 1h', description: 'Rounded to the nearest minute.', preview: '1h' },
      { label: 'As 59m', description: 'Rounded down.', preview: '59m' },
    ],
    multiSelect: false,
  },
  {
    question: 'Where should that be said?',
    header: 'Docs',
    options: [
      { label: 'README', description: 'With an example.' },
      { label: 'In the code', description: 'Above the function.' },
    ],
    multiSelect: true,
  },
];

export const askUserQuestionExample: ToolExample<AskUserQuestionInput, AskUserQuestionOutput> = {
  input: { questions },
  output: {
    questions,
    answers: {
      'How should 59 minutes and 30 seconds be shown?': 'As 1h',
      'Where should that be said?': 'README, In the code',
    },
    annotations: { 'Where should that be said?': { notes: 'The README’s example is enough.' } },
  },
  failure: 'Nobody is here to answer. Decide by yourself, and say how.',
};

export const enterPlanModeExample: ToolExample<EnterPlanModeInput, EnterPlanModeOutput> = {
  input: {},
  output: { message: 'Plan mode is on.' },
  failure: 'You are in plan mode already.',
};

const plan = '# Round to the nearest minute\n\n1. Change `toMinutes`.\n2. Test the boundary.';

export const exitPlanModeExample: ToolExample<AskedPlan, ExitPlanModeOutput> = {
  input: { plan, planFilePath: '/session/s1/plan.md' },
  output: { plan, isAgent: false, filePath: '/session/s1/plan.md', planWasEdited: true },
  failure: 'There is no plan yet. Write it first.',
};

const news = 'All 41 tests pass. The branch is ready for your review.';

export const pushNotificationExample: ToolExample<PushNotificationInput, PushNotificationOutput> = {
  input: { message: news },
  output: { message: news, localSent: true, sentAt: '2026-11-26T21:00:00.000Z' },
  failure: "The user couldn't be notified: Error: The device is not registered.",
  variants: {
    'not sent to who is here': { output: { message: news, disabledReason: 'user_present' } },
  },
};

const report = {
  filePath: '/workspace/reports/rounding.csv',
  size: 18_432,
  note: 'All times of June, as they were and as they are shown now.',
};

export const sendUserFileExample: ToolExample<SendUserFileInput, SendUserFileOutput> = {
  input: { file_path: 'reports/rounding.csv', note: report.note },
  output: { ...report, wasDelivered: true },
  failure: "ENOENT: no such file or directory, stat '/workspace/reports/rounding.csv'",
  variants: { 'left in the workspace': { output: { ...report, wasDelivered: false } } },
};

const message =
  '**All 41 tests pass.** Times are rounded to the nearest minute now; `src/format.ts` is the only file that changed.';

export const sendUserMessageExample: ToolExample<SendUserMessageInput, SendUserMessageOutput> = {
  input: { message },
  output: { message, sentAt: 1_790_000_000_000 },
  failure: 'message is empty: say what the user is to read.',
};

export const configExample: ToolExample<ConfigInput, ConfigOutput> = {
  input: { setting: 'model', value: 'haiku' },
  output: { operation: 'set', setting: 'model', previousValue: 'default', newValue: 'haiku' },
  failure: 'model can\'t be "haiku". It may be default, opus.',
  variants: {
    'a setting that is read': {
      input: { setting: 'permissionMode' },
      output: {
        operation: 'get',
        setting: 'permissionMode',
        value: 'default',
        choices: ['default', 'dontAsk'],
      },
    },
    'one that is not set': {
      input: { setting: 'title' },
      output: { operation: 'get', setting: 'title', value: null },
    },
  },
};

const findings: ReportFindingsInput['findings'] = [
  {
    file: 'src/format.ts',
    line: 12,
    summary: 'Minutes are rounded up, so 59:30 is shown as 1h.',
    failure_scenario: 'formatDuration(3570) gives 1h, and the calendar shows the wrong day.',
    category: 'correctness',
    severity: 'important',
    verdict: 'CONFIRMED',
    outcome: 'fixed',
  },
  {
    file: 'src/format.ts',
    summary: 'The function has no test for zero.',
    failure_scenario: 'A change that breaks zero is not noticed.',
  },
  {
    file: 'src/calendar.ts',
    line: 3,
    summary: 'The import is not used.',
    failure_scenario: 'None: it is loaded in vain.',
    severity: 'nit',
    verdict: 'PLAUSIBLE',
    outcome: 'skipped',
  },
];

export const reportFindingsExample: ToolExample<ReportFindingsInput, ReportFindingsOutput> = {
  input: { level: 'high', findings },
  output: {
    count: 3,
    level: 'high',
    findings: findings.map((one) => ({ ...one, file: `/workspace/${one.file}` })),
  },
  failure: 'findings.0.file: Too small: expected string to have >=1 characters',
  variants: {
    'a review that has found nothing': {
      input: { findings: [] },
      output: { count: 0, findings: [] },
    },
  },
};

export const setGoalExample: ToolExample<SetGoalInput, SetGoalOutput> = {
  input: { condition: 'All tests in test/time pass, and no test was changed', ask_user: true },
  output: { condition: 'All tests in test/time pass, and no test was changed', askUser: true },
  failure:
    'A sub-agent has no goal of its own: do your task, and report to the agent that began you.',
};

export const sleepExample: ToolExample<SleepInput, SleepOutput> = {
  input: { seconds: 300 },
  output: { seconds: 300, message: 'The next tick comes in 300 s, unless the user writes.' },
  failure: 'No ticks come to you: end with your report instead.',
};

const snipped = [
  { id: 14, text: 'Grep {"pattern":"formatDuration"}', tokens: 2_100 },
  { id: 19, text: 'Read {"file_path":"/workspace/src/calendar.ts"}', tokens: 7_900 },
];
const snipNote =
  'formatDuration is called in format.ts alone; calendar.ts has nothing to do with it.';

export const snipExample: ToolExample<SnipInput, SnipOutput> = {
  input: { from: 14, to: 19, note: snipNote },
  output: { operation: 'snip', parts: snipped, freedTokens: 9_950, note: snipNote },
  failure:
    'There is no part 15 that could be taken out. Call Snip without a span: it lists those that can.',
  variants: {
    'a list of what can go': {
      input: {},
      output: { operation: 'list', parts: snipped, smaller: 3 },
    },
  },
};

const answer = {
  verdict: 'needs work',
  failing_tests: ['rounds up', 'says nothing of zero'],
  summary: 'formatDuration drops the last 30 seconds of an hour.',
};

export const syntheticOutputExample: ToolExample<SyntheticOutputInput, SyntheticOutputOutput> = {
  input: answer,
  output: answer,
  failure: 'verdict: Invalid option: expected one of "good"|"needs work"',
};

export const toolSearchExample: ToolExample<ToolSearchInput, ToolSearchOutput> = {
  input: { query: 'notebook jupyter' },
  output: {
    query: 'notebook jupyter',
    matches: [
      {
        name: 'NotebookEdit',
        description: 'Changes one cell of a notebook (.ipynb).',
        input_schema: { type: 'object', properties: {} },
      },
    ],
    unknown: ['Nope'],
    total_deferred_tools: 14,
  },
  failure: 'It could not be searched: the list of tools has not come yet.',
};

export const waitForMcpServersExample: ToolExample<
  WaitForMcpServersInput,
  WaitForMcpServersOutput
> = {
  input: { servers: ['tickets', 'weather'] },
  output: {
    servers: [
      { name: 'tickets', status: 'connected', tools: 12 },
      { name: 'weather', status: 'failed', error: 'The server took longer than 10 s.' },
    ],
  },
  failure: 'There is no MCP server weather. There are: tickets.',
};
