// The few choices that outlive the page, in localStorage. Where storage is blocked they are simply
// not remembered: nothing that the page does depends on them.

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

/** The stored JSON value; undefined where there is none, or it can't be read. */
export function readSetting(name: SettingName): unknown {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Stores a JSON value; undefined removes it. */
export function writeSetting(name: SettingName, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // Blocked or full: see above.
  }
}
