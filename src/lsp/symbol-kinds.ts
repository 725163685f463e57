// The names of the protocol's symbol kinds, for the servers and the view.

/** The names of the protocol's kinds of symbols, by their numbers: `symbolKinds[12]` is `function`. */
export const symbolKinds: readonly string[] = (
  ' file module namespace package class method property field constructor enum interface function variable constant' +
  ' string number boolean array object key null enum-member struct event operator type-parameter'
).split(' ');
