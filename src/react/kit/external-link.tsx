// A link that the model wrote. Only a click opens it, and its real host is shown.

export interface ExternalLinkProps {
  readonly address: string;
  readonly label: string;
}

/**
 * Security: the model's text is untrusted. A `javascript:` or `data:` address would run in this origin, so only
 * http(s) becomes a link. The host beside it unmasks a label that names another site. The opened page gets neither
 * `window.opener` nor our address.
 */
export function ExternalLink({ address, label }: ExternalLinkProps) {
  const host = hostOf(address);
  if (host === null) return <span>{label === address ? label : `${label} (${address})`}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={address}>
      {label}
      {label !== address && <span className="rp-host"> ({host})</span>}
    </a>
  );
}

function hostOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : null;
}
