// Decides which parts of a model request may be forwarded: the path, the betas, and the body, which
// is read once. Pure. The model proxy formats its refusals like the Messages API.
import { documentCharactersPerToken, tokensPerImage } from '../../../core/messages/media-tokens.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** The paths of the Messages API that the proxy knows. `/v1/models` is followed by a model's id. */
export type ModelPath = '/v1/messages' | '/v1/messages/count_tokens' | '/v1/models';

/** The allowed features and their limits, from checked options. */
export interface ModelLimits {
  readonly models: readonly string[];
  readonly paths: readonly ModelPath[];
  readonly betas: readonly string[];
  readonly toolTypes: readonly string[];
  readonly maxTokens: number;
  readonly maxImages: number;
  readonly maxImageBytes: number;
  /** Whether the cost is reserved in a budget. Then it must be known before the request is sent. */
  readonly hasBudget: boolean;
}

/** A refusal in the format of the Messages API, so that its clients show the message. */
export interface ModelRefusal {
  readonly status: number;
  readonly type: string;
  readonly reason: string;
  /** The HTTP method that the path accepts. */
  readonly allow?: string;
}

/** The parts of the body that may be forwarded. */
export interface JudgedBody {
  readonly text: string;
  readonly model: string;
  /** 0 if the request only counts tokens. */
  readonly maxTokens: number;
  /** An estimate. */
  readonly inputTokens: number;
}

/** Returns the requested path and model's id, or the reason why it isn't served. */
export function judgePath(
  method: string,
  path: string,
  query: string,
  { paths, models }: Pick<ModelLimits, 'paths' | 'models'>,
): { readonly path: ModelPath } | ModelRefusal {
  const [, model] = /^\/v1\/models\/([\w.:@-]+)$/u.exec(path) ?? [];
  const known = paths.find((one) => (model === undefined ? one === path : one === '/v1/models'));
  // `?beta=true` is the only query that clients of the API append.
  if (known === undefined || path === '/v1/models' || (query !== '' && query !== '?beta=true')) {
    return refuse(404, 'not_found_error', `This proxy doesn't serve ${clip(path + query)}.`);
  }
  const wanted = model === undefined ? 'POST' : 'GET';
  if (method !== wanted) {
    const reason = `This proxy takes ${wanted} at ${clip(path)}.`;
    return { ...refuse(405, 'invalid_request_error', reason), allow: wanted };
  }
  return model !== undefined && !models.includes(model)
    ? refuseModel(model, models)
    : { path: known };
}

/** Each beta must be listed: some make requests more expensive, and some allow other servers. */
export function judgeBetas(header: string | null, betas: readonly string[]): ModelRefusal | null {
  const asked = (header ?? '').split(',').map((beta) => beta.trim());
  const stray = asked.find((beta) => beta !== '' && !betas.includes(beta));
  return stray === undefined
    ? null
    : refuse(400, 'invalid_request_error', `This proxy doesn't allow the beta ${clip(stray)}.`);
}

/** Returns the body to forward, or the reason why it is refused. */
export function judgeBody(
  bytes: Uint8Array,
  path: ModelPath,
  limits: ModelLimits,
): JudgedBody | ModelRefusal {
  const body = parse(bytes);
  if (!isRecord(body)) return invalid('The body must be a JSON object.');
  const { model, max_tokens: maxTokens, messages, tools = [] } = body;
  if (typeof model !== 'string') return invalid('`model` is missing.');
  if (!limits.models.includes(model)) return refuseModel(model, limits.models);
  const counts = path === '/v1/messages/count_tokens';
  if (!counts && !(Number.isSafeInteger(maxTokens) && Number(maxTokens) > 0)) {
    return invalid('`max_tokens` must be a whole number above 0.');
  }
  if (!counts && Number(maxTokens) > limits.maxTokens) {
    return invalid(
      `\`max_tokens\` is ${String(maxTokens)}, and this proxy allows ${limits.maxTokens}. Ask for less.`,
    );
  }
  if (!Array.isArray(messages)) return invalid('`messages` must be a list.');
  const refusal = judgeTools(tools, limits.toolTypes) ?? judgePrice(body, limits.hasBudget);
  if (refusal) return refusal;
  const media = judgeMedia(messages, limits);
  if ('reason' in media) return media;
  const text = toText(body);
  if (text === undefined) return invalid('The body is nested too deeply.');
  return {
    text,
    model,
    maxTokens: counts ? 0 : Number(maxTokens),
    // The characters of media aren't text tokens; media are counted separately.
    inputTokens: Math.ceil(media.tokens + estimateTokens(text) - media.asText),
  };
}

function judgeTools(tools: unknown, types: readonly string[]): ModelRefusal | null {
  if (!Array.isArray(tools)) return invalid('`tools` must be a list.');
  for (const tool of tools as readonly unknown[]) {
    const type = isRecord(tool) ? (tool['type'] ?? 'custom') : undefined;
    if (type === 'custom') continue;
    // Security: server tools cost more than their tokens, run code, or contact other models and
    // servers.
    if (typeof type !== 'string' || !types.includes(type)) {
      return invalid(`This proxy doesn't allow tools of the type ${clip(String(type))}.`);
    }
  }
  return null;
}

/** With a budget: what makes each token dearer than the prices say isn't let through. */
function judgePrice(
  { speed, inference_geo: place }: Readonly<Record<string, unknown>>,
  hasBudget: boolean,
): ModelRefusal | null {
  if (!hasBudget) return null;
  const isPlain = speed === undefined || speed === null || speed === 'standard';
  const named = isPlain ? 'inference_geo' : 'speed';
  if (isPlain && (place === undefined || place === null || place === 'global')) return null;
  return invalid(
    `This proxy keeps a budget, and takes no \`${named}\`: what it costs more isn't in the prices. Leave it out.`,
  );
}

/** Looks at each image and document, those in results of tools too. */
function judgeMedia(
  messages: readonly unknown[],
  { maxImages, maxImageBytes, hasBudget }: ModelLimits,
): { readonly asText: number; readonly tokens: number } | ModelRefusal {
  let [images, asText, tokens] = [0, 0, 0];
  // Iterative, because the sender chooses the nesting depth.
  const open: unknown[] = [...messages];
  while (open.length > 0) {
    const block = open.pop();
    if (!isRecord(block)) continue;
    const source = isRecord(block['source']) ? block['source'] : {};
    for (const content of [block['content'], source['content']]) {
      if (Array.isArray(content)) for (const inner of content as unknown[]) open.push(inner);
    }
    const data = typeof source['data'] === 'string' ? source['data'] : '';
    if (block['type'] === 'image') {
      images += 1;
      if (images > maxImages) return invalid(`This proxy allows ${maxImages} images in a request.`);
      if (data.length * 0.75 > maxImageBytes) {
        return invalid(`An image is too large: this proxy allows ${maxImageBytes} bytes.`);
      }
      asText += estimateTokens(data);
      tokens += tokensPerImage;
    } else if (block['type'] === 'document' && source['type'] === 'base64') {
      asText += estimateTokens(data);
      tokens += Math.ceil(data.length / documentCharactersPerToken);
    } else if (block['type'] === 'document' && hasBudget && !isCounted(source['type'])) {
      return invalid(
        "This proxy keeps a budget, and takes no document by its address: what it costs isn't known before. Send its bytes.",
      );
    }
  }
  return { asText, tokens };
}

/** The text of a document's source is part of the request and was counted with it. */
function isCounted(type: unknown): boolean {
  return type === 'text' || type === 'content';
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes),
    ) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Security: the parsed body is serialized again. For a duplicate key, another parser could use the
 * other value.
 */
function toText(body: object): string | undefined {
  try {
    return JSON.stringify(body);
  } catch {
    return undefined;
  }
}

function refuseModel(model: string, models: readonly string[]): ModelRefusal {
  const offered = models.join(', ');
  return refuse(
    404,
    'not_found_error',
    `This proxy doesn't offer the model ${clip(model)}. It offers ${offered}.`,
  );
}

function invalid(reason: string): ModelRefusal {
  return refuse(400, 'invalid_request_error', reason);
}

function refuse(status: number, type: string, reason: string): ModelRefusal {
  return { status, type, reason };
}

/** Shortens a text of the client for use in a message. */
function clip(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
