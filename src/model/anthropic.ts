// Stage 1: the model adapter for any server with the Messages API, through Anthropic's client. The
// client and anthropic-stream.ts are loaded with the first request. Hosts create a model; the agent
// knows only the port.
import { throwIfAborted } from '../core/async/abort.ts';
import { describeThrown, SdkError } from '../core/errors.ts';
import type { ModelEvent } from '../core/messages/messages.ts';
import { checkAnthropicOptions } from './anthropic-options.ts';
import type { AnthropicModelOptions, AnthropicSettings } from './anthropic-options.ts';
import type { Model, ModelRequest, StreamOptions } from './model.ts';

/**
 * Creates a model for the Messages API: Anthropic's own, a proxy that has the key, or a compatible
 * server.
 *
 * Throws `bad-usage` for invalid options; nothing is loaded or sent before the first request.
 * Credentials in the environment and on the disk are never used. The stream has
 * {@link Model.stream}'s contract. No event, error or log contains keys or headers.
 *
 * @example
 * ```ts
 * const model = createAnthropicModel({ model: 'claude-sonnet-5-5', baseURL: '/anthropic' });
 * ```
 */
export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const settings = checkAnthropicOptions(options);
  let { contextWindow } = settings;
  let asking: Promise<number | undefined> | undefined;
  return {
    name: settings.server.model,
    apiKeySource: settings.server.hasCredential ? 'user' : 'none',
    toolReferences: settings.toolReferences,
    webSearch: settings.webSearch,
    maxTokens: settings.maxTokens,
    ...(settings.thinking && { thinking: settings.thinking }),
    ...(settings.effort && { effort: settings.effort }),
    get contextWindow() {
      return contextWindow;
    },
    async findContextWindow({ signal }) {
      if (contextWindow !== undefined || signal.aborted) return contextWindow;
      asking ??= loadAndFindWindow(settings);
      // If a caller stops waiting, the next caller gets the answer.
      const stopped = new Promise<undefined>((resolve) => {
        signal.addEventListener('abort', () => resolve(undefined), { once: true });
      });
      contextWindow = await Promise.race([asking, stopped]);
      return contextWindow;
    },
    countTokens: (request, countOptions) => loadAndCount(settings, request, countOptions),
    stream: (request, streamOptions) => loadAndStream(settings, request, streamOptions),
  };
}

async function* loadAndStream(
  settings: AnthropicSettings,
  request: ModelRequest,
  options: StreamOptions,
): AsyncGenerator<ModelEvent, void> {
  throwIfAborted(options.signal);
  const { streamWithRetries } = await loadClient();
  yield* streamWithRetries(settings, request, options);
}

async function loadAndCount(
  settings: AnthropicSettings,
  request: ModelRequest,
  { signal }: Pick<StreamOptions, 'signal'>,
): Promise<number> {
  throwIfAborted(signal);
  const { countInputTokens } = await loadClient();
  return countInputTokens(settings, request, signal);
}

/** Many compatible servers and proxies can't answer this. The window then stays unknown. */
async function loadAndFindWindow(settings: AnthropicSettings): Promise<number | undefined> {
  try {
    const { findContextWindow } = await loadClient();
    return await findContextWindow(settings);
  } catch {
    return undefined;
  }
}

/** Not retried, because a page caches the failure to load a module. */
async function loadClient() {
  try {
    return await import('./anthropic-stream.ts');
  } catch (error) {
    throw new SdkError(
      'model-network',
      `The Anthropic client couldn't be loaded (${describeThrown(error)}). Check the network, and that the page's ` +
        'own files are all there. Without a bundler, check the import map: docs/bundlers.md has one.',
      { cause: error },
    );
  }
}
