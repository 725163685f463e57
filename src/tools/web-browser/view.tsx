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
  find: ['Looking for', 'Look for'],
  click: ['Clicking', 'Click'],
  hover: ['Pointing at', 'Point at'],
  drag: ['Dragging', 'Drag'],
  upload: ['Giving', 'Give'],
  wait: ['Waiting for', 'Wait for'],
  dialog: ['Answering', 'Answer'],
  type: ['Typing', 'Type'],
  press: ['Pressing', 'Press'],
  scroll: ['Scrolling', 'Scroll'],
  resize: ['Resizing', 'Resize'],
  emulate: ['Changing', 'Change'],
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
  const { action, path, text, key, scroll_direction: direction, width, height } = input;
  const place = <Place at={input.ref ?? input.coordinate} />;
  switch (action) {
    case 'open':
      return path === undefined ? null : <FileLink path={path} />;
    case 'find':
      return <code>{text}</code>;
    case 'click':
    case 'hover':
      return place;
    case 'drag':
      return (
        <>
          <Place at={input.start_ref ?? input.start_coordinate} /> to {place}
        </>
      );
    case 'type':
      return (
        <>
          <code>{text}</code> into {place}
        </>
      );
    case 'press':
      return <code>{key}</code>;
    case 'upload':
      return (
        <>
          {input.paths?.join(', ')} to {place}
        </>
      );
    case 'wait':
      return <Awaited input={input} />;
    case 'dialog':
      return <>dialogs: {input.accept === true ? 'accepted' : 'dismissed'}</>;
    case 'scroll':
      return (
        <>
          {direction ?? 'to'} {input.ref === undefined ? 'the page' : place}
        </>
      );
    case 'resize':
      return <>the page{width !== undefined && ` to ${width} × ${height ?? ''}`}</>;
    case 'console':
      return <>the console</>;
    case 'screenshot':
      if (input.ref !== undefined) return place;
      return <>{input.full_page === true ? 'the whole page' : 'the page'}</>;
    default:
      return <>the page</>;
  }
}

function Place({ at }: { readonly at: string | readonly number[] | undefined }) {
  return <code>{typeof at === 'object' ? at.join(', ') : at}</code>;
}

function Awaited({ input }: { readonly input: Partial<WebBrowserInput> }) {
  const { text, text_gone: gone, time } = input;
  if (text !== undefined) return <code>{text}</code>;
  if (gone === undefined) return <>{time ?? ''} s</>;
  return (
    <>
      the end of <code>{gone}</code>
    </>
  );
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
