// What is read of files goes to the browser's own APIs as it is: a download, a picture, a response.
import { expectTypeOf } from 'vitest';
import type { exportZip } from '../../src/browser.ts';
import type { CallFiles, FileSystem, UserFile } from '../../src/index.ts';

declare const fs: FileSystem;
expectTypeOf(fs.readFile('/a.png')).resolves.toExtend<BlobPart>();
declare const callFiles: CallFiles;
expectTypeOf(callFiles.readFile('/a.png')).resolves.toExtend<BlobPart>();
expectTypeOf<UserFile['bytes']>().toExtend<BlobPart>();
expectTypeOf<ReturnType<typeof exportZip>>().toExtend<BodyInit>();
