// Written by find-first-functions.ts.

/** The quickjs.wasm whose functions are numbered here: SHA-256. */
export const engineHash = 'd4c9375f2b1ca4dc95f72c8aa2982a7a9951ac8011490d79c6582df732b4bbd9';

/** Which of them the core has: a bit for each, in base64. */
export const firstFunctions = [
  'ALDvFP/xvtcAgf83/P973f///2fX/uz9Pv9/8/3/fv79h3v9Yoz//93////3r4D+x3t4LgAm/ncUAQDAAJ9tj4/2T8',
  'BPe1fPu67QB1AdgK7/v0p//r8JzwQAsAcE7wdAfAAAQIARaB0AHQAAIABgEgEBABr///7nzv3y/9D9z981/v/fz/7/',
  '/QMfcMBIKAYCAAAAAABAKP70IAGSwwAEnIUJAgB4BITaAAAAIAACAAAABgAAAAAA8L/89+sbRUEDcxKBoJghalDgCs',
  'Dj7A8jDwAAAACABQ==',
].join('');
