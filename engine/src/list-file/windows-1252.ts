/**
 * windows-1252, which TextDecoder in Node 20 takes for ISO 8859-1: between 0x80 and 0x9f it has letters and
 * punctuation (€ Š ž „ ") where the other has control characters. Bytes it leaves open stay as they are.
 */
const FROM_0X80 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";
const MISREAD = /[\x80-\x9f]/g;

export function createWindows1252Decoder(): { decode(bytes: Uint8Array): string } {
  return {
    decode: (bytes) =>
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
        .toString("latin1")
        .replace(MISREAD, (character) => FROM_0X80[character.charCodeAt(0) - 0x80]!),
  };
}
