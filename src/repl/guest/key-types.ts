// Keys as the parts of the world hand them to each other.

/** A key of Node's. */
export interface GuestKey {
  readonly type: 'secret' | 'public' | 'private';
  readonly symmetricKeySize: number | undefined;
  export(options?: object): unknown;
  equals(other: unknown): boolean;
}

/** A key of a pair. `jwk` has its numbers, if it is a key of RSA or of a curve with signatures. */
export interface PairKey {
  readonly kind: string;
  readonly curve: string | undefined;
  readonly jwk: Readonly<Record<string, string | undefined>>;
}

/** A key of Web Crypto's, as the guest holds it. */
export interface KeyParts {
  readonly type: 'secret' | 'private' | 'public';
  readonly extractable: boolean;
  readonly algorithm: Record<string, unknown> & { readonly name: string };
  readonly usages: readonly string[];
  /** Raw, PKCS #8 or SPKI, by the type. */
  readonly data: Uint8Array<ArrayBuffer>;
}

export interface SubtlePart {
  readonly subtle: Record<'importKey' | 'sign' | 'verify' | 'generateKey' | 'deriveBits', any>;
  readonly SubtleCrypto: Function;
  readonly CryptoKey: Function;
  /** Throws for a value that is no key. */
  partsOf(key: unknown): KeyParts;
  makeKey(parts: KeyParts): object;
}
