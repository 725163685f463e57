// The files of the prompt that is being written: pasted, dropped or chosen. Images are shown small, each with a
// button that removes it. The host keeps the bytes of other files, and the prompt has their paths.
import { useRef, useState } from 'react';
import type { ChangeEvent, ClipboardEvent, DragEvent } from 'react';
import { messageOf } from '../../core/errors.ts';
import type { ImageBlock } from '../../core/messages/blocks.ts';

/** Makes the block of a file. Rejects with a sentence for a person. */
export type ReadImage = (file: File) => Promise<ImageBlock>;

/** Keeps a file, and gives the path by which the agent reads it. Rejects with a sentence for a person. */
export type TakeFile = (file: File) => Promise<string>;

export interface PromptFileTakers {
  /** Undefined: images are files like any other. */
  readonly readImage: ReadImage | undefined;
  /** Undefined: only images are taken. */
  readonly takeFile: TakeFile | undefined;
  /** The images that are there at first. */
  readonly initial?: readonly ImageBlock[] | undefined;
  /** Called for each file that was kept, in their order. */
  readonly onTaken: (path: string) => void;
}

export interface PromptFiles {
  readonly images: readonly ImageBlock[];
  /** How many files are being read. */
  readonly reading: number;
  /** Says why a file could not be taken. Empty if there is nothing to say. */
  readonly problem: string;
  add(files: Iterable<File>): void;
  /** Adds images after the present ones. */
  append(images: readonly ImageBlock[]): void;
  remove(image: ImageBlock): void;
  clear(): void;
  /**
   * For the form: takes files that are pasted into it or dropped on it. Empty if no files are
   * taken.
   */
  readonly formAttributes: {
    readonly onPaste?: (event: ClipboardEvent) => void;
    readonly onDragOver?: (event: DragEvent) => void;
    readonly onDrop?: (event: DragEvent) => void;
  };
}

const none: readonly ImageBlock[] = [];

export function usePromptFiles(takers: PromptFileTakers): PromptFiles {
  const { readImage, takeFile, initial = none, onTaken } = takers;
  const [images, setImages] = useState(initial);
  const [reading, setReading] = useState(0);
  const [problem, setProblem] = useState('');

  /** Gives an image, or the path of a file that was kept. */
  async function take(file: File): Promise<ImageBlock | string> {
    if (readImage && (!takeFile || shownTypes.has(file.type))) return readImage(file);
    if (takeFile) return takeFile(file);
    throw new Error(`${file.name} can’t be taken here.`);
  }
  /** Reads the files. The result has their order, whichever file is read first. */
  async function read(files: readonly File[]): Promise<void> {
    setReading((count) => count + files.length);
    const results = await Promise.allSettled(files.map(take));
    const taken = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const read = taken.filter((one) => typeof one !== 'string');
    if (read.length > 0) setImages((before) => [...before, ...read]);
    for (const one of taken) if (typeof one === 'string') onTaken(one);
    const failed = results.find((one) => one.status === 'rejected');
    if (failed) setProblem(messageOf(failed.reason));
    setReading((count) => count - files.length);
  }
  const add = (files: Iterable<File>) => {
    setProblem('');
    void read([...files]);
  };
  /** If there is text, the field takes it: a copied table also has a picture of itself. */
  const takeFrom = (event: ClipboardEvent | DragEvent, data: DataTransfer) => {
    if (data.files.length === 0 || data.types.includes('text/plain')) return;
    event.preventDefault();
    add(data.files);
  };

  return {
    images,
    reading,
    problem,
    add,
    append: (more) => setImages((before) => [...before, ...more]),
    remove: (image) => setImages((before) => before.filter((one) => one !== image)),
    clear() {
      setImages(none);
      setProblem('');
    },
    formAttributes:
      readImage || takeFile
        ? {
            onPaste: (event) => takeFrom(event, event.clipboardData),
            onDragOver(event) {
              if (event.dataTransfer.types.includes('Files')) event.preventDefault();
            },
            onDrop: (event) => takeFrom(event, event.dataTransfer),
          }
        : {},
  };
}

// The types that the API takes as images.
const imageTypes = 'image/png,image/jpeg,image/gif,image/webp';
const shownTypes: ReadonlySet<string> = new Set(imageTypes.split(','));

/** The list above the field. Shows nothing if there are no files. */
export function PromptFileList({ images, reading, problem, remove }: PromptFiles) {
  return (
    <>
      {images.length > 0 && (
        <ul className="rp-prompt-images" aria-label="Images to be sent">
          {images.map((image, at) => (
            <li key={at}>
              <PromptImage image={image} label={`Image ${at + 1}`} />
              <button
                type="button"
                aria-label={`Remove image ${at + 1}`}
                onClick={() => remove(image)}
              >
                <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <p className="rp-note" role="status" hidden={reading === 0}>
        Reading {reading === 1 ? 'the file' : `${reading} files`}…
      </p>
      <p className="rp-prompt-problem" role="alert" hidden={problem === ''}>
        {problem}
      </p>
    </>
  );
}

/** A button that opens the browser's file chooser. */
export function AddFiles({
  add,
  takesAll,
}: Pick<PromptFiles, 'add'> & { readonly takesAll: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const take = ({ target }: ChangeEvent<HTMLInputElement>) => {
    add([...(target.files ?? [])]);
    // Reset, so that the same file may be chosen again.
    target.value = '';
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={takesAll ? undefined : imageTypes}
        multiple
        hidden
        onChange={take}
      />
      <button type="button" onClick={() => input.current?.click()}>
        {takesAll ? 'Add files…' : 'Add images…'}
      </button>
    </>
  );
}

/** Security: an image is shown from its bytes; no address is ever loaded. */
export function PromptImage({
  image,
  label,
}: {
  readonly image: ImageBlock;
  readonly label: string;
}) {
  const source = toSource(image);
  return source === undefined ? (
    <span className="rp-note">{label}, elsewhere</span>
  ) : (
    <img className="rp-image" src={source} alt={label} />
  );
}

function toSource({ source }: ImageBlock): string | undefined {
  return source.type === 'base64' ? `data:${source.media_type};base64,${source.data}` : undefined;
}
