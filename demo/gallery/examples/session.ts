// Calls of the tools that speak with the person, plan, and look for other tools.
import type {
  AskUserQuestionInput,
  AskUserQuestionOutput,
} from '../../../src/tools/ask-user-question/schema.ts';
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
  SendUserFileInput,
  SendUserFileOutput,
} from '../../../src/tools/send-user-file/schema.ts';
import type {
  SendUserMessageInput,
  SendUserMessageOutput,
} from '../../../src/tools/send-user-message/schema.ts';
import type { SleepInput, SleepOutput } from '../../../src/tools/sleep/schema.ts';
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

export const sleepExample: ToolExample<SleepInput, SleepOutput> = {
  input: { seconds: 300 },
  output: { seconds: 300, message: 'The next tick comes in 300 s, unless the user writes.' },
  failure: 'No ticks come to you: end with your report instead.',
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
