// The settings that are stored in localStorage. If storage is blocked, they aren't stored; the page works without
// them.

export type SettingName =
  | 'theme'
  | 'project'
  | 'model'
  | 'permission-mode'
  | 'git-author'
  | 'begins-in'
  | 'instructions'
  | 'trusted-files';

const prefix = 'rockpool-demo:';

/** The stored JSON value. Undefined if there is none, or it can't be read. */
export function readSetting(name: SettingName): unknown {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Stores a JSON value; undefined removes it. Returns false if it can't be stored. */
export function writeSetting(name: SettingName, value: unknown): boolean {
  try {
    if (value === undefined) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, JSON.stringify(value));
    return true;
  } catch {
    // Storage is blocked or full: see above.
    return false;
  }
}

/** Calls back when another tab has changed the setting. Dispose the result. */
export function onSettingChanged(name: SettingName, listener: () => void): Disposable {
  const hear = ({ key }: StorageEvent) => {
    if (key === prefix + name) listener();
  };
  window.addEventListener('storage', hear);
  return { [Symbol.dispose]: () => window.removeEventListener('storage', hear) };
}
