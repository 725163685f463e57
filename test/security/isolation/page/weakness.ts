// The walls that can be taken away: one at a time, but for `page-engine`, `host-functions` and
// `host-objects`, which lack what they say. Test code only: nothing in src/ can be weakened.

export type Weakness =
  /** No wasm: cells are compiled by the tool worker's own `Function`. */
  | 'engine'
  /** Nor a worker: cells are compiled by the page's own `Function`. */
  | 'page-engine'
  /** No worker: the same engine and deadline, on the page's thread. */
  | 'worker'
  /** Nothing asks the engine to stop, and nobody ends its worker. */
  | 'deadline'
  /** No caps on memory, output and counts. */
  | 'limits'
  /** A cell that fails leaves what it did to the VM. */
  | 'rollback'
  /** All conversations share one VM. */
  | 'shared-vm'
  /** The guest's clock is the realm's finest, its randomness the same in every session. */
  | 'clock'
  /** Requests leave with cookies, and follow redirects. */
  | 'fetch-port'
  /** Host functions take what they get; nor does any rule deny a file or a host. */
  | 'host-functions'
  /** And they get the guest's own objects, as there is no wasm between. */
  | 'host-objects'
  /** No rule denies a file, and every host of the test is allowed. */
  | 'rules'
  /** What a cell gives back is shown as HTML. */
  | 'view';
