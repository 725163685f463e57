// Calls of the tool that starts sessions elsewhere.
import type {
  RemoteTriggerInput,
  RemoteTriggerOutput,
} from '../../../src/tools/remote-trigger/schema.ts';
import type { ToolExample } from '../tool-example.ts';

export const remoteTriggerExample: ToolExample<RemoteTriggerInput, RemoteTriggerOutput> = {
  input: {
    action: 'run',
    trigger_id: 'nightly-tests',
    body: { prompt: 'Run the tests of main, and mend what fails.' },
  },
  output: {
    status: 201,
    json: '{\n  "session_id": "night-17"\n}',
    summary: 'Session night-17 has begun: https://agents.example/night-17',
  },
  failure:
    'The remote runtime: Error: no answer came. It may have begun: look before you ask again.',
  variants: {
    'a list': {
      input: { action: 'list' },
      output: { status: 200, json: '[\n  {\n    "trigger_id": "nightly-tests"\n  }\n]' },
    },
    'a refusal': {
      input: { action: 'get', trigger_id: 'weekly' },
      output: { status: 404, json: '', summary: 'There is no trigger weekly.' },
    },
  },
};
