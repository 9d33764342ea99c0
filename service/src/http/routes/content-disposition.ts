/** Content-Disposition of something to be saved (RFC 6266): its name in ASCII for old clients, and as it really is. */
export function attachment(filename: string): string {
  const plain = filename.replaceAll(/[^\w .()+-]/g, "_");
  const encoded = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
