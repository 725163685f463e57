// Node's `path` for POSIX: pure functions of strings, except that `resolve` reads the working
// directory.
import type { Kernel } from '../kernel-type.ts';

/** Defines the module `path`. */
export function addPath(kernel: Kernel) {
  function text(value: unknown, name: string): string {
    if (typeof value === 'string') return value;
    throw kernel.invalidType(name, 'of type string', value);
  }

  function normalizeParts(path: string, isAbsolute: boolean): string {
    const parts: string[] = [];
    for (const part of path.split('/')) {
      if (part === '' || part === '.') continue;
      if (part !== '..') parts.push(part);
      else if (parts.length > 0 && parts[parts.length - 1] !== '..') parts.pop();
      else if (!isAbsolute) parts.push('..');
    }
    return parts.join('/');
  }

  const path = {
    sep: '/',
    delimiter: ':',
    isAbsolute: (value) => text(value, 'path').startsWith('/'),
    normalize(value) {
      if (text(value, 'path') === '') return '.';
      const isAbsolute = value.startsWith('/');
      const body = normalizeParts(value, isAbsolute);
      if (body === '') return isAbsolute ? '/' : value.endsWith('/') ? './' : '.';
      return (isAbsolute ? '/' : '') + body + (value.endsWith('/') ? '/' : '');
    },
    join(...values) {
      const joined = values
        .map((value) => text(value, 'path'))
        .filter((value) => value !== '')
        .join('/');
      return joined === '' ? '.' : path.normalize(joined);
    },
    resolve(...values) {
      let resolved = '';
      for (let at = values.length - 1; at >= -1 && !resolved.startsWith('/'); at -= 1) {
        const part = at >= 0 ? text(values[at], 'paths[' + at + ']') : kernel.cwd();
        if (part !== '') resolved = resolved === '' ? part : part + '/' + resolved;
      }
      return '/' + normalizeParts(resolved, true);
    },
    relative(from, to) {
      const start = path.resolve(text(from, 'from')).split('/').filter(Boolean);
      const end = path.resolve(text(to, 'to')).split('/').filter(Boolean);
      let shared = 0;
      while (shared < start.length && shared < end.length && start[shared] === end[shared])
        shared += 1;
      return [...start.slice(shared).map(() => '..'), ...end.slice(shared)].join('/');
    },
    dirname(value) {
      const trimmed = trimEnd(text(value, 'path'));
      const at = trimmed.lastIndexOf('/');
      if (at === -1) return '.';
      const head = trimEnd(trimmed.slice(0, at));
      return head === '' ? '/' : head;
    },
    basename(value, suffix?) {
      const trimmed = trimEnd(text(value, 'path'));
      const name = trimmed === '/' ? '' : trimmed.slice(trimmed.lastIndexOf('/') + 1);
      // The suffix may be the whole path, but not the whole name of a longer path.
      const isSuffix =
        suffix !== undefined &&
        name.endsWith(text(suffix, 'suffix')) &&
        (name !== suffix || name === value);
      return isSuffix ? name.slice(0, name.length - suffix.length) : name;
    },
    extname(value) {
      const name = path.basename(value);
      const at = name.lastIndexOf('.');
      return at <= 0 || name === '..' ? '' : name.slice(at);
    },
    parse(value) {
      const root = text(value, 'path').startsWith('/') ? '/' : '';
      const base = path.basename(value);
      const ext = path.extname(base);
      const head = path.dirname(value);
      const hasDirectory = trimEnd(value).includes('/');
      return {
        root,
        dir: hasDirectory ? head : '',
        base,
        ext,
        name: base.slice(0, base.length - ext.length),
      };
    },
    format(parts) {
      if (typeof parts !== 'object' || parts === null)
        throw kernel.invalidType('pathObject', 'of type object', parts);
      const directory = parts.dir ?? parts.root;
      const ext = parts.ext ? (parts.ext.startsWith('.') ? parts.ext : '.' + parts.ext) : '';
      const base = parts.base ?? (parts.name ?? '') + ext;
      if (!directory) return base;
      return directory === parts.root ? directory + base : directory + '/' + base;
    },
    toNamespacedPath: (value) => value,
    matchesGlob: (value, pattern) =>
      kernel.host.matchesGlob(text(pattern, 'pattern'), path.resolve(text(value, 'path'))),
  };
  function trimEnd(value: string): string {
    let end = value.length;
    while (end > 1 && value[end - 1] === '/') end -= 1;
    return value.slice(0, end);
  }
  Object.assign(path, { posix: path, _makeLong: path.toNamespacedPath });
  // Loaded on demand, because it is seldom used.
  Object.defineProperty(path, 'win32', {
    get() {
      const value = kernel.part('windows-path');
      Object.defineProperty(path, 'win32', { value, enumerable: true });
      return value;
    },
    configurable: true,
    enumerable: true,
  });
  kernel.path = path;
}
