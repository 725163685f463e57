// What a cell may learn by the way: of other conversations, of the machine, of files that it may not
// see. How long something takes is not kept from it (docs/threat-model.md).
import { claiming, type Attack } from '../attack.ts';

const realm = 'Function("return this")()';

export const sideChannels: readonly Attack[] = [
  {
    name: 'variables of another conversation',
    before: `var token = 'secret-of-' + 'another-conversation'; 0`,
    cells: `typeof token === 'undefined' ? 'nothing' : token`,
    without: 'shared-vm',
    harm: 'secret',
  },
  {
    name: 'built-ins that another conversation will call',
    cells: `Array.prototype.at = () => ${claiming}; 0`,
    after: `[1].at(0)`,
    without: 'shared-vm',
    harm: 'claimed',
  },
  {
    name: 'timers that run while another conversation awaits',
    cells: `setInterval(() => { globalThis.answer = ${claiming} }, 1); 0`,
    after: `await new Promise((done) => setTimeout(done, 20)); globalThis.answer`,
    without: 'shared-vm',
    harm: 'claimed',
  },
  {
    name: 'what a cell that was rolled back has left',
    cells: [
      `globalThis.left = 'secret-of-' + 'a-failed-cell'; throw new Error('over')`,
      `typeof left === 'undefined' ? 'nothing' : left`,
    ],
    without: 'rollback',
    harm: 'secret',
  },
  {
    name: 'a clock that is finer than a millisecond',
    cells: `
      const isFine = (read) => Array.from({ length: 2000 }, read).some((time) => Math.abs(time - Math.round(time)) > 0.01);
      [() => performance.now(), () => Number(process.hrtime.bigint()) / 1e6, () => performance.timeOrigin].some(isFine) ? ${claiming} : 'nothing'`,
    without: 'clock',
    harm: 'claimed',
  },
  {
    name: 'the random numbers of another conversation',
    before: `fs.writeFileSync('drawn', crypto.randomUUID() + Math.random())`,
    cells: `crypto.randomUUID() + Math.random() === fs.readFileSync('drawn', 'utf8') ? ${claiming} : 'nothing'`,
    without: 'clock',
    harm: 'claimed',
  },
  {
    name: "a thread of one's own that counts",
    cells: `
      const { Worker: Thread, URL: Urls, Blob: Part } = ${realm};
      const thread = new Thread(Urls.createObjectURL(new Part(['for (let n = 0; n < 3; n += 1) postMessage(n)'])));
      const count = await new Promise((done) => { thread.onmessage = ({ data }) => data === 2 && done(data) });
      count === 2 ? ${claiming} : 'nothing'`,
    without: 'engine',
    harm: 'claimed',
  },
  {
    name: 'what the machine and its browser are',
    cells: `navigator.hardwareConcurrency + navigator.userAgent ? ${claiming} : 'nothing'`,
    without: 'engine',
    harm: 'claimed',
  },
  {
    name: 'which files the page has loaded, and when',
    cells: `${realm}.performance.getEntries().length > 0 ? ${claiming} : 'nothing'`,
    without: 'engine',
    harm: 'claimed',
  },
  {
    name: "the host's own frames in a stack",
    cells: `[1].map(() => new Error().stack).some((stack) => /https?:/.test(stack)) ? ${claiming} : 'nothing'`,
    without: 'engine',
    harm: 'claimed',
  },
  {
    name: 'whether a file is denied or absent, by the error',
    cells: `
      const asked = (path) => [(p) => fs.readFileSync(p), (p) => fs.statSync(p), (p) => fs.readdirSync(p), (p) => fs.copyFileSync(p, 'copy'), (p) => fs.realpathSync(p),
        (p) => fs.renameSync(p, 'moved'), (p) => fs.openSync(p, 'r'), (p) => require(p)]
        .map((ask) => { try { ask(path); return 'there' } catch (error) { return (error.code + error.message).replaceAll(path, '') } }).join('\\n');
      asked('/workspace/secret/key.txt') === asked('/workspace/secret/nil.txt') ? 'nothing' : ${claiming}`,
    without: 'rules',
    harm: 'claimed',
  },
];
