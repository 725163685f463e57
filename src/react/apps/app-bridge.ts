// The messages between an app and the page. Those of `io.modelcontextprotocol/ui` (2026-01-26) that the bridge
// accepts are a closed list. An app's messages are untrusted data, so each is checked by hand. mcp-app.tsx creates a
// bridge for an app's frame.
import type { ViewedCall } from '../../core/tool/call-state.ts';
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { McpAppResult } from '../../core/mcp/mcp-app.ts';
import type { Clock } from '../../core/tool/ports.ts';
import { VERSION } from '../../core/version.ts';
import { createPace } from './pace.ts';

export type AppDisplayMode = 'inline' | 'fullscreen';

/** The properties of the page that an app gets. */
export interface AppContext {
  readonly theme: 'light' | 'dark';
  readonly displayMode: AppDisplayMode;
  readonly styles: { readonly variables: Readonly<Record<string, string>> };
  readonly locale: string;
}

/** What the bridge calls when the app wants something. */
export interface AppBridgePorts {
  readonly clock: Clock;
  post(message: unknown): void;
  context(): AppContext;
  callTool(name: string, input: Readonly<Record<string, unknown>>): Promise<McpAppResult>;
  tellModel(text: string): Promise<unknown>;
  /** Left out: the app can't propose messages. */
  readonly propose?: ((text: string) => void) | undefined;
  /** Resolves with the person's answer: whether the page was opened. */
  askToOpen(url: string): Promise<boolean>;
  /** Sets the height, in CSS pixels. */
  resize(height: number): void;
  /** The app wants to be back in its place in the transcript. */
  shrink(): void;
  close(): void;
}

export interface AppBridge {
  hear(message: unknown): void;
  /** Tells the app that the page around it has changed. */
  tellContext(): void;
  /** Tells the app that it ends. Resolves when the app is ready to go. */
  tellEnd(): Promise<void>;
}

const protocolVersion = '2026-01-26';

// 16: a working app doesn't send more requests before it gets an answer.
const maxOpen = 16;

// Limits a second. An app at work sends fewer than 100 messages of all kinds. 10 new heights look
// smooth. Each update for the model is written to the session. Of heights and updates beyond the
// limit, the newest is taken when the second is over.
const maxMessages = 100;
const maxResizes = 10;
const maxUpdates = 2;

// 2 000 characters: no real address is longer.
const maxUrlChars = 2_000;
// 10 000 characters: a person still reads a message of this length before sending it.
const maxMessageChars = 10_000;

type Fields = Readonly<Record<string, unknown>>;

export function createAppBridge(call: ViewedCall, ports: AppBridgePorts): AppBridge {
  let isInitialized = false;
  let open = 0;
  const messages = createPace(maxMessages, ports.clock);
  const resizes = createPace(maxResizes, ports.clock);
  const updates = createPace(maxUpdates, ports.clock);
  let onGone = () => {};
  const send = (message: Fields) => ports.post({ jsonrpc: '2.0', ...message });
  const notify = (name: string, params: object) =>
    send({ method: `ui/notifications/${name}`, params });

  const answers: Readonly<Record<string, (params: Fields) => unknown>> = {
    ping: () => ({}),
    'ui/initialize': () => ({
      protocolVersion,
      hostInfo: { name: 'rockpool', version: VERSION },
      hostCapabilities: {
        openLinks: {},
        serverTools: {},
        updateModelContext: { text: {}, structuredContent: {} },
        ...(ports.propose && { message: { text: {} } }),
      },
      hostContext: { ...ports.context(), ...fixedContext },
    }),
    'tools/call': ({ name, arguments: input = {} }) => {
      if (typeof name !== 'string' || !isRecord(input)) throw badParams('a name and arguments');
      return ports.callTool(name, input);
    },
    'ui/message': ({ role, content }) => {
      const text = role === 'user' ? toText(content) : undefined;
      const isRight = text !== undefined && text !== '' && text.length <= maxMessageChars;
      if (!isRight || !ports.propose) return { isError: true };
      ports.propose(text);
      return {};
    },
    'ui/update-model-context': async ({ content = [], structuredContent = {} }) => {
      const text = toText(content);
      if (text === undefined || !isRecord(structuredContent)) throw badParams('texts or an object');
      const hasData = Object.keys(structuredContent).length > 0;
      const parts = [text, hasData ? JSON.stringify(structuredContent) : ''];
      const told = parts.filter((part) => part !== '').join('\n');
      await updates.doNewest(() => ports.tellModel(told));
      return {};
    },
    'ui/open-link': async ({ url }) => {
      const isOpened = isLink(url) && (await ports.askToOpen(url));
      return isOpened ? {} : { isError: true };
    },
    // Security: an app that could cover the whole page could imitate our page. So only a person may enlarge it.
    'ui/request-display-mode': ({ mode }) => {
      if (mode === 'inline') ports.shrink();
      return { mode: mode === 'inline' ? mode : ports.context().displayMode };
    },
  };

  async function answer(
    id: string | number,
    method: string,
    params: Fields,
    isInTime: boolean,
  ): Promise<void> {
    try {
      const run = Object.hasOwn(answers, method) ? answers[method] : undefined;
      if (!run) throw toRpcError(-32601, 'This host does not know that.');
      if (!isInTime || open >= maxOpen) throw toRpcError(-32000, 'Too much was asked at once.');
      open += 1;
      try {
        send({ id, result: await run(params) });
      } finally {
        open -= 1;
      }
    } catch (error) {
      send({ id, error: describe(error) });
    }
  }

  function hearNotification(method: string, params: Fields): void {
    if (method === 'ui/notifications/initialized' && !isInitialized) {
      isInitialized = true;
      notify('tool-input', { arguments: isRecord(call.input) ? call.input : {} });
      notify('tool-result', toResult(call));
    } else if (method === 'ui/notifications/size-changed') {
      const { height } = params;
      if (typeof height !== 'number' || !(height > 0 && height < Infinity)) return;
      void resizes.doNewest(() => ports.resize(height));
    } else if (method === 'ui/notifications/request-teardown') ports.close();
  }

  return {
    hear(message) {
      if (!isRecord(message) || message['jsonrpc'] !== '2.0') return;
      const { id, method, params = {} } = message;
      const isInTime = messages.take();
      if (method === undefined) {
        if (id === teardownId) onGone();
      } else if (typeof method !== 'string' || !isRecord(params)) return;
      else if (id === undefined) {
        if (isInTime) hearNotification(method, params);
      } else if (typeof id === 'string' || typeof id === 'number') {
        void answer(id, method, params, isInTime);
      }
    },
    tellContext: () => isInitialized && notify('host-context-changed', ports.context()),
    tellEnd() {
      if (!isInitialized) return Promise.resolve();
      send({ id: teardownId, method: 'ui/resource-teardown', params: {} });
      return new Promise((resolve) => (onGone = resolve));
    },
  };
}

const teardownId = 'teardown';

const fixedContext = { availableDisplayModes: ['inline', 'fullscreen'], platform: 'web' };

/** The protocol's result, as the session has kept it. */
function toResult({ output, resultText, state }: ViewedCall): Fields {
  if (isRecord(output) && Array.isArray(output['content'])) return output;
  const isError = state !== 'output-available';
  return { content: [{ type: 'text', text: resultText }], ...(isError && { isError }) };
}

/** The text of a content that is only text; undefined for any other. */
function toText(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const texts = (content as readonly unknown[]).map((part) =>
    isRecord(part) && part['type'] === 'text' ? part['text'] : undefined,
  );
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : undefined;
}

/** Security: some other schemes run code, and some start programs. */
function isLink(url: unknown): url is string {
  if (typeof url !== 'string' || url.length > maxUrlChars) return false;
  return URL.parse(url)?.protocol === 'https:';
}

interface RpcError {
  readonly code: number;
  readonly message: string;
}

const toRpcError = (code: number, message: string) =>
  new SdkError('invalid-input', message, { data: { code } });

const badParams = (wanted: string) => toRpcError(-32602, `It takes ${wanted}.`);

/** Security: the server must not learn why a person or a rule refused. */
function describe(error: unknown): RpcError {
  if (!SdkError.isInstance(error)) return { code: -32603, message: 'It failed.' };
  if (error.code === 'permission-denied') return { code: -32000, message: 'It was refused.' };
  const code = error.data?.['code'];
  return { code: typeof code === 'number' ? code : -32000, message: error.message };
}
