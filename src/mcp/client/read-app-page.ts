// Checks the page of an app from its server. server-requests.ts calls it. The view checks the
// declared origins. Pure.
import { decodeBase64 } from '../../core/bytes/base64.ts';
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { appMimeType } from '../../core/mcp/mcp-app.ts';
import type { McpAnswers } from '../../core/mcp/mcp-exchange.ts';
import type { McpBounds } from './bounds.ts';

// The maximum number and length of declared origins. The view accepts fewer.
const maxDomains = 200;
const maxDomainChars = 500;

/**
 * Parses the page.
 * @throws SdkError `mcp-failed` for an invalid page, `limit-exceeded` if it is too long
 */
export function readAppPage(
  uri: string,
  contents: readonly unknown[],
  { appChars }: Pick<McpBounds, 'appChars'>,
): McpAnswers['read-app'] {
  const [part] = contents.filter(isRecord);
  const { mimeType, text, blob, _meta } = part ?? {};
  if (!isAppType(mimeType)) {
    throw new SdkError(
      'mcp-failed',
      `The server gives ${uri} for an app, which is no page of the type ${appMimeType}.`,
    );
  }
  const html = typeof text === 'string' ? text : decodeText(blob);
  if (html === undefined) {
    throw new SdkError('mcp-failed', `The server gives the app ${uri} without a text.`);
  }
  if (html.length > appChars) {
    throw new SdkError(
      'limit-exceeded',
      `The app ${uri} has ${html.length} characters, and may have ${appChars}.`,
      { data: { chars: html.length } },
    );
  }
  const ui = isRecord(_meta) && isRecord(_meta['ui']) ? _meta['ui'] : {};
  const csp = isRecord(ui['csp']) ? ui['csp'] : {};
  const { prefersBorder } = ui;
  return {
    html,
    resourceDomains: readDomains(csp['resourceDomains']),
    connectDomains: readDomains(csp['connectDomains']),
    ...(typeof prefersBorder === 'boolean' && { prefersBorder }),
  };
}

function isAppType(mimeType: unknown): boolean {
  return (
    typeof mimeType === 'string' && mimeType.replaceAll(/\s/gu, '').toLowerCase() === appMimeType
  );
}

function decodeText(blob: unknown): string | undefined {
  if (typeof blob !== 'string') return undefined;
  try {
    return new TextDecoder().decode(decodeBase64(blob));
  } catch {
    return undefined;
  }
}

function readDomains(given: unknown): readonly string[] {
  const listed: readonly unknown[] = Array.isArray(given) ? given.slice(0, maxDomains) : [];
  return listed.filter(
    (one): one is string => typeof one === 'string' && one.length <= maxDomainChars,
  );
}
