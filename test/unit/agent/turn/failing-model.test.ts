// A model of the host's own, whose adapter throws what is no SdkError: the result says whose failure it is.
import { expect, it } from 'vitest';
import { query } from '../../../../src/agent/query.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import type { Model } from '../../../../src/model/model.ts';

const failures: readonly (readonly [name: string, stream: Model['stream']])[] = [
  [
    'at once',
    () => {
      throw new TypeError('no fetch');
    },
  ],
  [
    'in its stream',
    // oxlint-disable-next-line require-yield -- it fails before its first event
    async function* () {
      throw new Error('no fetch');
    },
  ],
];

it.each(failures)('that throws %s is named, as a failure of the model', async (_, stream) => {
  await using host = await createInlineHost();
  const model: Model = { name: 'own-1', apiKeySource: 'none', stream };
  let last: SDKMessage | undefined;
  for await (const message of query({ prompt: 'Hello.', options: { host, model } })) last = message;
  expect(last).toMatchObject({
    subtype: 'error_during_execution',
    error_code: 'model-server',
    terminal_reason: 'api_error',
    errors: [expect.stringContaining('The model own-1 failed: no fetch.')],
  });
});

it('that throws because it was stopped is no failure', async () => {
  await using host = await createInlineHost();
  const abortController = new AbortController();
  const model: Model = {
    name: 'own-1',
    apiKeySource: 'none',
    // oxlint-disable-next-line require-yield -- it fails before its first event
    async *stream(_, { signal }) {
      abortController.abort();
      throw new DOMException(String(signal.aborted), 'AbortError');
    },
  };
  const options = { host, model, abortController };
  let last: SDKMessage | undefined;
  for await (const message of query({ prompt: 'Hello.', options })) last = message;
  expect(last).toMatchObject({ terminal_reason: 'aborted_streaming' });
});

const noModel = { id: 'm', role: 'assistant', content: [] };
const strange: readonly (readonly [what: string, event: unknown, sentence: string])[] = [
  ['nothing', undefined, 'no event of the Messages API'],
  ['a text', 'Hello.', 'no event of the Messages API'],
  ['a start without a message', { type: 'message_start' }, 'no message that names its model'],
  [
    'a message without a model',
    { type: 'message_start', message: noModel },
    'no message that names its model',
  ],
];

it.each(strange)('that gives %s is told what its adapter lacks', async (_, event, sentence) => {
  await using host = await createInlineHost();
  const model: Model = {
    name: 'own-1',
    apiKeySource: 'none',
    async *stream() {
      yield event as never;
    },
  };
  let last: SDKMessage | undefined;
  for await (const message of query({ prompt: 'Hello.', options: { host, model } })) last = message;
  expect(last).toMatchObject({
    error_code: 'model-protocol',
    errors: [expect.stringContaining(sentence)],
  });
});

it('that has no name is refused before it is asked', async () => {
  await using host = await createInlineHost();
  const model = { apiKeySource: 'none', stream: failures[0]?.[1] } as never;
  expect(() => query({ prompt: 'Hello.', options: { host, model } })).toThrow(
    'options.model has no name',
  );
});
