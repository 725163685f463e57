// What generated tools are made of: trades and the things in them, what is done to things, and names of
// services that don't exist.

export interface Trade {
  /** Where its things are. */
  readonly place: string;
  readonly nouns: readonly string[];
}

export const trades: readonly Trade[] = [
  {
    place: 'forge',
    nouns: ['issue', 'pull request', 'branch', 'commit', 'release', 'milestone', 'webhook'],
  },
  { place: 'chat', nouns: ['message', 'channel', 'thread', 'reaction', 'reminder', 'member'] },
  { place: 'wiki', nouns: ['page', 'comment', 'space', 'attachment', 'template', 'revision'] },
  {
    place: 'tracker',
    nouns: ['ticket', 'sprint', 'board', 'epic', 'worklog', 'version', 'watcher'],
  },
  {
    place: 'browser',
    nouns: ['tab', 'bookmark', 'download', 'cookie', 'profile', 'proxy', 'recording'],
  },
  {
    place: 'database',
    nouns: ['table', 'row', 'index', 'collection', 'document', 'migration', 'backup', 'view'],
  },
  {
    place: 'billing account',
    nouns: ['customer', 'invoice', 'subscription', 'refund', 'coupon', 'price', 'payout'],
  },
  {
    place: 'observatory',
    nouns: ['dashboard', 'alert', 'incident', 'metric', 'trace', 'silence', 'log stream'],
  },
  { place: 'drive', nouns: ['file', 'folder', 'bucket', 'share link', 'object', 'trash item'] },
  { place: 'map', nouns: ['route', 'geofence', 'landmark', 'parcel', 'vehicle', 'depot'] },
  { place: 'calendar', nouns: ['event', 'attendee', 'meeting room', 'holiday', 'time slot'] },
  { place: 'mailbox', nouns: ['draft', 'mail', 'mail filter', 'mailing list', 'signature'] },
  { place: 'sales desk', nouns: ['contact', 'deal', 'company', 'lead', 'pipeline', 'quote'] },
  {
    place: 'cloud',
    nouns: ['server', 'cluster', 'function', 'deployment', 'volume', 'secret', 'domain'],
  },
  { place: 'shop', nouns: ['order', 'product', 'cart', 'shipment', 'discount', 'return'] },
  {
    place: 'staff office',
    nouns: ['employee', 'leave request', 'payslip', 'job opening', 'candidate', 'interview'],
  },
  { place: 'studio', nouns: ['video', 'playlist', 'caption', 'photo album', 'podcast episode'] },
  { place: 'network', nouns: ['post', 'follower', 'story', 'poll', 'hashtag', 'campaign'] },
  { place: 'build farm', nouns: ['build', 'build pipeline', 'artifact', 'runner', 'test report'] },
  { place: 'drawing board', nouns: ['frame', 'component', 'palette', 'prototype', 'layer'] },
];

export interface Verb {
  readonly name: string;
  /** The tool is about several things. */
  readonly isOfMany?: true;
  /** Sentences, `…` for the thing. */
  readonly says: readonly string[];
  /** Properties and their types, `…` for the thing. */
  readonly takes: readonly (readonly [name: string, type: string])[];
}

export const verbs: readonly Verb[] = [
  {
    name: 'list',
    isOfMany: true,
    says: ['Lists …', 'Gives all … page by page', 'Returns the …, newest first', 'Shows all …'],
    takes: [
      ['limit', 'number'],
      ['cursor', 'string'],
      ['sort', 'string'],
    ],
  },
  {
    name: 'get',
    says: ['Gives …', 'Fetches … by its id', 'Returns the details of …', 'Reads …'],
    takes: [
      ['…_id', 'string'],
      ['fields', 'array'],
    ],
  },
  {
    name: 'create',
    says: ['Creates …', 'Makes …', 'Adds …', 'Opens …'],
    takes: [
      ['title', 'string'],
      ['description', 'string'],
      ['tags', 'array'],
      ['notify', 'boolean'],
    ],
  },
  {
    name: 'update',
    says: ['Changes …', 'Updates …', 'Edits the fields of …', 'Modifies …'],
    takes: [
      ['…_id', 'string'],
      ['title', 'string'],
      ['description', 'string'],
      ['version', 'number'],
    ],
  },
  {
    name: 'delete',
    says: ['Deletes …', 'Removes … for good', 'Takes … away', 'Erases …'],
    takes: [
      ['…_id', 'string'],
      ['force', 'boolean'],
    ],
  },
  {
    name: 'search',
    isOfMany: true,
    says: ['Searches …', 'Finds … by words', 'Looks through … for a text', 'Queries …'],
    takes: [
      ['query', 'string'],
      ['filters', 'object'],
      ['limit', 'number'],
    ],
  },
  {
    name: 'archive',
    says: ['Archives …', 'Puts … out of sight', 'Moves … into the archive', 'Retires …'],
    takes: [['…_id', 'string']],
  },
  {
    name: 'restore',
    says: ['Restores …', 'Brings … back', 'Takes … out of the archive', 'Revives …'],
    takes: [['…_id', 'string']],
  },
  {
    name: 'export',
    isOfMany: true,
    says: ['Exports …', 'Writes … to a file', 'Downloads … as a table', 'Saves … elsewhere'],
    takes: [
      ['format', 'string'],
      ['since', 'string'],
      ['until', 'string'],
    ],
  },
  {
    name: 'assign',
    says: ['Assigns …', 'Gives … to somebody', 'Hands … over', 'Makes a person answer for …'],
    takes: [
      ['…_id', 'string'],
      ['assignee', 'string'],
    ],
  },
  {
    name: 'share',
    says: ['Shares …', 'Lets others see …', 'Invites people to …', 'Sends a link to …'],
    takes: [
      ['…_id', 'string'],
      ['emails', 'array'],
      ['role', 'string'],
    ],
  },
  {
    name: 'count',
    isOfMany: true,
    says: ['Counts …', 'Tells how many … there are', 'Gives the number of …', 'Sums up …'],
    takes: [['filters', 'object']],
  },
];

/** Four in a row are of one trade. */
export const services: readonly string[] = [
  ...['amber', 'birch', 'cobalt', 'dusk', 'elder', 'fern', 'garnet', 'hazel', 'iris', 'juniper'],
].flatMap((first) =>
  ['vale', 'wick', 'moor', 'fold', 'stead', 'gate', 'crest', 'holt'].map(
    (second) => `${first}${second}`,
  ),
);
