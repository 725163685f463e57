// What the metrics of the git bench are: what is in each figure and what isn't.

export const localNotes: readonly string[] = [
  'Made by real git in one pack: 25,000 files of 0.3 to 2.7 kB, ten in a directory; small_*: 2,500. ' +
    'In real Chromium, in a worker, on drafts of a workspace in OPFS.',
  'status_ms: one file changed since the commit before; median of 5. commit_ms: `add` of that file and ' +
    '`commit`. switch_100_ms: to a branch on which 100 files differ, and back; median of 10.',
  'status_reopened_ms: the first status of a workspace that was opened again: every file is read and ' +
    'hashed. first_status_ms: the same right after the checkout was committed to the workspace.',
  'checkout_ms: index and files of the whole commit, written into a draft, without the commit of the ' +
    'draft.',
  'stock_*: isomorphic-git 1.44 on a draft of the same workspace, once each: `statusMatrix` when it has ' +
    'been asked before, `add` and `commit`, `checkout`.',
];

export const cloneNotes: readonly string[] = [
  'clone_*: depth 1 from real `git http-backend` on loopback, in a worker, into a draft in memory, until ' +
    'the draft holds all files; medians of 3, ours and stock in turn. What the server answers is made ' +
    'once and kept, so its own time is in none of them.',
  'clone_peak_mb: the most that the renderer process held during one clone, the page itself included.',
];

export const besideNotes: readonly string[] = [
  'others_*: by a browser host, Read and Grep one after the other while `host.git.clone` of depth 1 runs, its ' +
    'commit to the workspace in OPFS included: each answer’s time beyond the median of the same call before ' +
    'the clone, over all calls of 3 clones.',
  'page_blocked_ms: the longest time between two beats of a 5 ms heartbeat on the page during such a clone, ' +
    'median of 3; page_blocked_idle_ms: the same while only Read and Grep run.',
];
