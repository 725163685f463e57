// What an app and the page say to each other: the messages of `io.modelcontextprotocol/ui` (2026-01-26) that are heard
// here, a closed list. Each is other people's data, and checked by hand. mcp-app.tsx makes one for an app's frame.
import type { ViewedCall } from '../../core/tool/call-state.ts';
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { McpAppResult } from '../../core/mcp/mcp-app.ts';
import type { Clock } from '../../core/tool/ports.ts';
import { VERSION } from '../../core/version.ts';
import { createPace } from './pace.ts';

export type AppDisplayMode = 'inline' | 'fullscreen';

/** What the app is told of the page around it. */
export interface AppContext {
  readonly theme: 'light' | 'dark';
  readonly displayMode: AppDisplayMode;
  readonly styles: { readonly variables: Readonly<Record<string, string>> };
  readonly locale: string;
}

/** What becomes of what the app wants. */
export interface AppBridgePorts {
  readonly clock: Clock;
  post(message: unknown): void;
  context(): AppContext;
  callTool(name: string, input: Readonly<Record<string, unknown>>): Promise<McpAppResult>;
  tellModel(text: string): Promise<unknown>;
  /** Left out: it can't propose messages. */
  readonly propose?: ((text: string) => void) | undefined;
  /** Resolves with what the person did. */
  askToOpen(url: string): Promise<boolean>;
  /** In CSS pixels. */
  resize(height: number): void;
  /** The app wants to be back in its place. */
  shrink(): void;
  close(): void;
}

export interface AppBridge {
  hear(message: unknown): void;
  /** The page around it has changed. */
  tellContext(): void;
  /** Resolves when the app is ready to go. */
  tellEnd(): Promise<void>;
}

const protocolVersion = '2026-01-26';

// 16: an app that asks for more before it has an answer is out of hand.
const maxOpen = 16;

// A second: 100 messages of all kinds are more than an app at work sends. Of new heights 10 look
// smooth, and of what the model is told each is written to the session. Of more, the newest is
// taken when the second is over.
const maxMessages = 100;
const maxResizes = 10;
const maxUpdates = 2;

// 2 000 characters: a longer address is nobody's.
const maxUrlChars = 2_000;
// What a person still reads before they send it.
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
    // Security: a page that an app covers by itself could be made to look like ours. Only a person makes it wide.
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

/** Security: of other schemes some run code, and some start programs. */
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

/** Security: why a person or a rule refused is none of the server's business. */
function describe(error: unknown): RpcError {
  if (!SdkError.isInstance(error)) return { code: -32603, message: 'It failed.' };
  if (error.code === 'permission-denied') return { code: -32000, message: 'It was refused.' };
  const code = error.data?.['code'];
  return { code: typeof code === 'number' ? code : -32000, message: error.message };
}
