// Shows a picture of the workspace, and follows its changes. A picture that is also text (SVG) can be edited as text.
import { useEffect, useState } from 'react';
import { SdkError } from 'rockpool/browser';
import { OpenFile } from './open-file.tsx';
import type { OpenFileProps } from './open-file.tsx';
import { pictureType } from './picture-type.ts';

/** A larger picture takes several times its size of the page's memory. */
const maxBytes = 32 * 1024 * 1024;

type Picture =
  | { readonly kind: 'loading' }
  | { readonly kind: 'shown'; readonly url: string; readonly bytes: number }
  | { readonly kind: 'failed'; readonly message: string };

export function PictureFile(props: OpenFileProps) {
  const { file, name } = props;
  const type = pictureType(file.path) ?? '';
  const [isText, setIsText] = useState(false);
  const toggle = type === 'image/svg+xml' && (
    <button type="button" className="pane-button" onClick={() => setIsText(!isText)}>
      {isText ? 'Show the picture' : 'Edit as text'}
    </button>
  );
  if (isText) return <OpenFile {...props} action={toggle} />;
  return <PictureView {...props} type={type} action={toggle} key={name} />;
}

interface PictureViewProps extends OpenFileProps {
  readonly type: string;
}

function PictureView({ workspace, file, name, type, action }: PictureViewProps) {
  const { path } = file;
  const [picture, setPicture] = useState<Picture>({ kind: 'loading' });
  const [size, setSize] = useState('');
  useEffect(() => {
    let url: string | undefined;
    let newest = 0;
    const show = (next: Picture) => {
      if (url !== undefined) URL.revokeObjectURL(url);
      url = next.kind === 'shown' ? next.url : undefined;
      setPicture(next);
    };
    const load = async () => {
      const own = (newest += 1);
      const next = await readPicture(workspace, path, type);
      if (own === newest) show(next);
      else if (next.kind === 'shown') URL.revokeObjectURL(next.url);
    };
    const following = workspace.onChange(({ root, changes }) => {
      const isOurs = changes.some(
        (change) => change.path === path || path.startsWith(`${change.path}/`),
      );
      if (root === 'main' && isOurs) void load();
    });
    void load();
    return () => {
      newest += 1;
      following[Symbol.dispose]();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [workspace, path, type]);

  return (
    <div className="editor">
      <header className="pane-header">
        <h2 className="editor-path" title={path}>
          {name}
        </h2>
        {action}
        <span className="editor-state" role="status">
          {picture.kind === 'shown' && `${size}${toKilobytes(picture.bytes)}`}
        </span>
      </header>
      {picture.kind === 'failed' && <p className="editor-empty">{picture.message}</p>}
      {picture.kind === 'shown' && (
        <div className="picture">
          {/* Security: as an image an SVG runs no script and loads nothing. */}
          <img
            src={picture.url}
            alt={name}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
              setSize(`${naturalWidth} × ${naturalHeight}, `)
            }
            onError={() =>
              setPicture({ kind: 'failed', message: 'The browser can’t read this as a picture.' })
            }
          />
        </div>
      )}
    </div>
  );
}

async function readPicture(
  workspace: OpenFileProps['workspace'],
  path: string,
  type: string,
): Promise<Picture> {
  try {
    const { size } = await workspace.fs.stat(path);
    if (size > maxBytes) {
      const megabytes = (size / 1024 / 1024).toFixed(1);
      return { kind: 'failed', message: `This picture has ${megabytes} MB: too large to show.` };
    }
    const bytes = await workspace.fs.readFile(path);
    const blob = new Blob([Uint8Array.from(bytes)], { type });
    return { kind: 'shown', url: URL.createObjectURL(blob), bytes: bytes.length };
  } catch (error) {
    const isKnown = error instanceof Error || SdkError.isInstance(error);
    return { kind: 'failed', message: isKnown ? error.message : String(error) };
  }
}

function toKilobytes(bytes: number): string {
  return bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} kB`;
}
