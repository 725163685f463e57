// Types of keys that parts of the world exchange.

/** A KeyObject of Node's crypto. */
export interface GuestKey {
  readonly type: 'secret' | 'public' | 'private';
  readonly symmetricKeySize: number | undefined;
  export(options?: object): unknown;
  equals(other: unknown): boolean;
}

/** A public or private key. `jwk` has its numbers, for RSA and for curves with signatures. */
export interface PairKey {
  readonly kind: string;
  readonly curve: string | undefined;
  readonly jwk: Readonly<Record<string, string | undefined>>;
}

/** A Web Crypto key, as the guest holds it. */
export interface KeyParts {
  readonly type: 'secret' | 'private' | 'public';
  readonly extractable: boolean;
  readonly algorithm: Record<string, unknown> & { readonly name: string };
  readonly usages: readonly string[];
  /** Raw bytes, PKCS #8 or SPKI, depending on the type. */
  readonly data: Uint8Array<ArrayBuffer>;
}

export interface SubtlePart {
  readonly subtle: Record<'importKey' | 'sign' | 'verify' | 'generateKey' | 'deriveBits', any>;
  readonly SubtleCrypto: Function;
  readonly CryptoKey: Function;
  /** Throws if the value isn't a key. */
  partsOf(key: unknown): KeyParts;
  makeKey(parts: KeyParts): object;
}
