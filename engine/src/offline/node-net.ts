/** Stands for `node:net` in the build without Node. */
const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(`^(?:${OCTET}\\.){3}${OCTET}$`);

export const isIPv4 = (text: string): boolean => IPV4.test(text);

export const isIPv6 = (text: string): boolean =>
  /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]/`);
