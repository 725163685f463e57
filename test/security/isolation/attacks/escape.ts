// Out of the engine, into the realm that it runs in.
import { claiming, type Attack } from '../attack.ts';

/** Leaves a new mark on whatever global object the code that runs it has. */
const mark = `"globalThis['owned' + Math.random()] = 'owned'"`;

export const escapes: readonly Attack[] = [
  {
    name: 'Function makes a function whose this is the global object',
    cells: `Function("return this")()['owned' + Math.random()] = 'owned'`,
    without: 'engine',
    harm: 'realm',
  },
  {
    name: 'an indirect eval runs outside the cell',
    cells: `(0, eval)(${mark})`,
    without: 'engine',
    harm: 'realm',
  },
  {
    name: 'a host function has a constructor',
    cells: `fs.readFileSync.constructor(${mark})()`,
    without: 'engine',
    harm: 'realm',
  },
  {
    name: 'an async function has another',
    cells: `await (async () => {}).constructor(${mark})()`,
    without: 'engine',
    harm: 'realm',
  },
  {
    name: 'so has a generator, and an async one',
    cells: `(function* () {}).constructor(${mark})().next(); await (async function* () {}).constructor(${mark})().next()`,
    without: 'engine',
    harm: 'realm',
  },
  {
    name: "an error of the host's has a constructor with one",
    cells: `try { fs.readFileSync('none') } catch (error) { error.constructor.constructor(${mark})() }`,
    without: 'engine',
    harm: 'realm',
  },
  {
    name: "an array of the host's names its species",
    cells: `fs.readdirSync('.').constructor[Symbol.species].constructor(${mark})()`,
    without: 'engine',
    harm: 'realm',
  },
  {
    name: 'a thenable is handed functions by who awaits it',
    cells: `await { then(resolve) { resolve.constructor(${mark})(); resolve() } }`,
    without: 'engine',
    harm: 'realm',
  },
  {
    name: 'a proxy as an argument is looked into',
    cells: `
      const look = () => Function(${mark})();
      const trap = new Proxy({}, { get: look, has: look, getPrototypeOf: look, ownKeys: look });
      for (const call of [fs.readFileSync, fs.statSync, tools.Read, structuredClone, console.log, crypto.getRandomValues]) {
        try { await call(trap, trap) } catch {}
      }`,
    without: 'engine',
    harm: 'realm',
  },
  {
    name: 'the value that a cell gives back is looked into',
    cells: `({ get constructor() { return Function(${mark})() }, get [Symbol.for('nodejs.util.inspect.custom')]() { return () => Function(${mark})() } })`,
    without: 'engine',
    harm: 'realm',
  },
  {
    name: 'a module made of data runs with another global object',
    cells: `await Function('url', 'return import(url)')("data:text/javascript,globalThis['owned' + Math.random()] = 1")`,
    without: 'engine',
    harm: 'realm',
  },
  {
    name: "a built-in of one's own is called by the host",
    cells: `
      const { get } = Map.prototype;
      Map.prototype.get = function (key) { return Reflect.apply(get, this, [key]) }; Map.prototype['owned' + Math.random()] = 1;
      const { parse } = JSON;
      JSON.parse = (text) => parse(text);`,
    without: 'engine',
    harm: 'realm',
  },
  {
    name: 'call sites name the files of the host',
    cells: `
      Error.prepareStackTrace = (error, sites) => sites.map((site) => site.getFileName());
      let names = [];
      try { [0].map(() => { names = [new Error().stack].flat() }) } catch {}
      names.some((name) => /^https?:/.test(name)) ? ${claiming} : 'nothing'`,
    without: 'engine',
    harm: 'claimed',
  },
];
