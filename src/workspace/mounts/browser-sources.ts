// The kinds of sources that a tab can mount. Their code is loaded on demand.
import { SdkError } from '../../core/errors.ts';
import type { HostFs } from './host-fs.ts';
import type { MountOptions } from './mount.ts';

/** A volume of lightning-fs, by the name passed to `new LightningFS(name)`. */
export interface LightningFsVolume {
  readonly lightningFs: string;
}

/** A directory handle (picked or dropped), a volume of lightning-fs, or a host's own HostFs. */
export type MountSource = FileSystemDirectoryHandle | LightningFsVolume | HostFs;

/** @throws SdkError `bad-usage` for any other value, and what opening the source throws. */
export async function toHostFs(source: MountSource, { readOnly }: MountOptions): Promise<HostFs> {
  if ('lightningFs' in source) {
    const { openLightningFsSource } = await import('./lightning-fs-source.ts');
    return openLightningFsSource(source.lightningFs);
  }
  if ('readFile' in source) return source;
  if ('kind' in source && source.kind === 'directory') {
    const { openDirectorySource } = await import('./directory-source.ts');
    return openDirectorySource(source, readOnly === true ? 'read' : 'readwrite');
  }
  throw new SdkError(
    'bad-usage',
    'A mount takes a directory handle, { lightningFs: name }, or an object with the methods of HostFs.',
  );
}
