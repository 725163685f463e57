// Node's `path.win32`, for programs that handle both systems, such as archive tools.
import type { Kernel } from '../kernel-type.ts';

/** The root of a path: `C:`, `\\server\share`, `\\?`, or nothing. */
interface Root {
  readonly device: string;
  readonly isAbsolute: boolean;
  /** The path behind the root. */
  readonly tail: string;
}

/** Returns the module. `path` is the POSIX module. */
export function addWindowsPath(kernel: Kernel) {
  const path = kernel.path as any;

  function text(value: unknown, name: string): string {
    if (typeof value === 'string') return value;
    throw kernel.invalidType(name, 'of type string', value);
  }
  const isSeparator = (char: string | undefined) => char === '\\' || char === '/';

  function rootOf(value: string): Root {
    const [share, server, name] = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(value) ?? [];
    if (share !== undefined) {
      // In `\\.\` and `\\?\` a device takes the place of a share.
      const isDevice = server === '.' || server === '?';
      const device = isDevice ? '\\\\' + server : '\\\\' + server + '\\' + name;
      const tail = value.slice(isDevice ? 4 : share.length);
      return { device, isAbsolute: true, tail };
    }
    const device = /^[a-z]:/i.exec(value)?.[0] ?? '';
    const rest = value.slice(device.length);
    const isAbsolute = isSeparator(rest[0]);
    return { device, isAbsolute, tail: isAbsolute ? rest.slice(1) : rest };
  }
  function normalizeTail(tail: string, isAbsolute: boolean): string {
    const parts: string[] = [];
    for (const part of tail.split(/[\\/]/)) {
      if (part === '' || part === '.') continue;
      if (part !== '..') parts.push(part);
      else if (parts.length > 0 && parts[parts.length - 1] !== '..') parts.pop();
      else if (!isAbsolute) parts.push('..');
    }
    return parts.join('\\');
  }

  /** Returns the root as parse and dirname see it. */
  function rootText(value: string): string {
    const share = /^[\\/]{2}[^\\/]+[\\/]+[^\\/]+(?:[\\/]|$)/.exec(value)?.[0];
    return share ?? /^(?:[a-z]:)?[\\/]?/i.exec(value)?.[0] ?? '';
  }
  function split(value: string): { root: string; head: string | undefined; base: string } {
    const root = rootText(value);
    const rest = value.slice(root.length).replace(/[\\/]+$/, '');
    const at = Math.max(rest.lastIndexOf('/'), rest.lastIndexOf('\\'));
    return { root, head: at < 0 ? undefined : rest.slice(0, at), base: rest.slice(at + 1) };
  }

  const win32 = {
    sep: '\\',
    delimiter: ';',
    isAbsolute: (value: unknown) => /^(?:[a-z]:)?[\\/]/i.test(text(value, 'path')),
    normalize(value: string) {
      if (text(value, 'path') === '') return '.';
      const { device, isAbsolute, tail } = rootOf(value);
      const body = normalizeTail(tail, isAbsolute);
      if (device.startsWith('\\\\') && tail === '') return device + '\\';
      const isFolder = isSeparator(value[value.length - 1]) && (body !== '' || !isAbsolute);
      const names = (body === '' && !isAbsolute ? '.' : body) + (isFolder ? '\\' : '');
      // A name that isn't a drive must not become one.
      const mayBeDrive = /^[a-z]:/i.test(body) || /:(?:[\\/]|$)/.test(value);
      if (!isAbsolute && device === '' && mayBeDrive) return '.\\' + names;
      return device + (isAbsolute ? '\\' : '') + names;
    },
    join(...values: unknown[]) {
      const given = values.map((value) => text(value, 'path')).filter((value) => value !== '');
      if (given.length === 0) return '.';
      const joined = given.join('\\');
      // Only the first path may begin with two separators, as a share does.
      const isShare = /^[\\/]{2}[^\\/]/.test(given[0] as string);
      return win32.normalize(isShare ? joined : joined.replace(/^[\\/]{2,}/, '\\'));
    },
    resolve(...values: unknown[]) {
      let [device, tail] = ['', ''];
      let isAbsolute = false;
      for (let at = values.length - 1; at >= -1; at -= 1) {
        const value = at >= 0 ? text(values[at], 'paths[' + at + ']') : kernel.cwd();
        if (value === '') continue;
        const root = rootOf(value);
        if (root.device !== '') {
          if (device === '') device = root.device;
          else if (root.device.toLowerCase() !== device.toLowerCase()) continue;
        }
        if (!isAbsolute) {
          tail = root.tail + '\\' + tail;
          isAbsolute = root.isAbsolute;
        }
        if (isAbsolute && device !== '') break;
      }
      const body = normalizeTail(tail, isAbsolute);
      return device + (isAbsolute ? '\\' : '') + body || '.';
    },
    relative(from: unknown, to: unknown) {
      const [start, end] = [win32.resolve(text(from, 'from')), win32.resolve(text(to, 'to'))];
      const partsOf = (value: string) => value.split('\\').filter(Boolean);
      const [here, there] = [partsOf(start), partsOf(end)];
      let shared = 0;
      const isSame = (at: number) => here[at]?.toLowerCase() === there[at]?.toLowerCase();
      while (shared < here.length && shared < there.length && isSame(shared)) shared += 1;
      if (shared === 0 && here.length > 0 && there.length > 0) return end;
      return [...here.slice(shared).map(() => '..'), ...there.slice(shared)].join('\\');
    },
    dirname(value: string) {
      const { root, head } = split(text(value, 'path'));
      return head === undefined ? root || '.' : root + head;
    },
    basename(value: string, suffix?: unknown) {
      const [, name = ''] = /([^\\/]*)[\\/]*$/.exec(
        text(value, 'path').replace(/^[a-z]:/i, ''),
      ) as RegExpExecArray;
      return path.basename(name, suffix);
    },
    extname: (value: string) => path.extname(win32.basename(value)),
    parse(value: string) {
      const { root, head, base } = split(text(value, 'path'));
      const ext: string = path.extname(base);
      const dir = head === undefined ? root : root + head;
      return { root, dir, base, ext, name: base.slice(0, base.length - ext.length) };
    },
    format(parts: any) {
      const dir = parts?.dir ?? parts?.root;
      const base: string = path.format({ ...parts, dir: undefined, root: undefined });
      if (!dir) return base;
      return dir === parts.root ? dir + base : dir + '\\' + base;
    },
    toNamespacedPath(value: unknown) {
      if (typeof value !== 'string' || value === '') return value;
      const whole = win32.resolve(value);
      if (/^[a-z]:\\/i.test(whole)) return '\\\\?\\' + whole;
      return /^\\\\[^.?]/.test(whole) ? '\\\\?\\UNC\\' + whole.slice(2) : whole;
    },
    matchesGlob: (value: unknown, pattern: unknown) =>
      path.matchesGlob(
        text(value, 'path').replaceAll('\\', '/'),
        text(pattern, 'pattern').replaceAll('\\', '/'),
      ),
    posix: path,
  };
  return Object.assign(win32, { win32, _makeLong: win32.toNamespacedPath });
}
