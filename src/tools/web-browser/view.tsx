// The view of WebBrowser: the action, and the text of the page or its console, or its picture.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { FileLink } from '../../react/kit/file-link.tsx';
import { webBrowserInputSchema, webBrowserOutputSchema } from './schema.ts';
import type { WebBrowserInput, WebBrowserOutput } from './schema.ts';

export const view = defineView(
  { input: webBrowserInputSchema, output: webBrowserOutputSchema },
  WebBrowserView,
);

const words = {
  open: ['Opening', 'Open'],
  read: ['Looking at', 'Look at'],
  screenshot: ['Taking a picture of', 'Take a picture of'],
  click: ['Clicking', 'Click'],
  type: ['Typing', 'Type'],
  press: ['Pressing', 'Press'],
  scroll: ['Scrolling', 'Scroll'],
  resize: ['Resizing', 'Resize'],
  console: ['Reading', 'Read'],
} as const;

function WebBrowserView({
  call,
}: {
  readonly call: ParsedCall<WebBrowserInput, WebBrowserOutput>;
}) {
  const { input, output, state } = call;
  const [doing, done] = words[input.action ?? 'read'];
  return (
    <CallFrame
      call={call}
      title={wordFor(state, doing, done)}
      detail={<Target input={input} />}
      meta={output && describeOutput(output)}
    >
      {output?.type === 'page' && output.tree !== '' && <CodeBlock text={output.tree} />}
      {output?.type === 'picture' && (
        <img
          className="rp-image"
          src={`data:image/png;base64,${output.base64}`}
          alt={`${output.path} as it is shown`}
        />
      )}
      {output?.type === 'console' && output.messages.length > 0 && (
        <CodeBlock
          text={output.messages.map(({ level, text }) => `[${level}] ${text}`).join('\n')}
        />
      )}
    </CallFrame>
  );
}

function Target({ input }: { readonly input: Partial<WebBrowserInput> }) {
  const { action, path, ref, text, key, scroll_direction: direction, width, height } = input;
  switch (action) {
    case 'open':
      return path === undefined ? null : <FileLink path={path} />;
    case 'click':
      return <code>{ref}</code>;
    case 'type':
      return (
        <>
          <code>{text}</code> into <code>{ref}</code>
        </>
      );
    case 'press':
      return <code>{key}</code>;
    case 'scroll':
      return (
        <>
          {direction ?? 'to'} {ref === undefined ? 'the page' : <code>{ref}</code>}
        </>
      );
    case 'resize':
      return <>the page{width !== undefined && ` to ${width} × ${height ?? ''}`}</>;
    case 'console':
      return <>the console</>;
    case 'screenshot':
      return <>{input.full_page === true ? 'the whole page' : 'the page'}</>;
    default:
      return <>the page</>;
  }
}

function describeOutput(output: WebBrowserOutput): string {
  if (output.type === 'page') {
    const { errors } = output.unread;
    return [output.title, errors > 0 && `${errors} ${errors === 1 ? 'error' : 'errors'}`]
      .filter(Boolean)
      .join(', ');
  }
  if (output.type === 'picture') return `${output.width} × ${output.height} pixels`;
  const { length } = output.messages;
  return length === 1 ? '1 message' : `${length} messages`;
}
