// What prozess and buffermaker use of bignum, which needs a compiler: whole numbers of 64 bits.
class Whole {
  constructor(value) { this.value = BigInt(value instanceof Whole ? value.value : value); }
  add(other) { return new Whole(this.value + new Whole(other).value); }
  eq(other) { return this.value === new Whole(other).value; }
  gt(other) { return this.value > new Whole(other).value; }
  toNumber() { return Number(this.value); }
  toString() { return this.value.toString(); }
  toBuffer() {
    const made = Buffer.alloc(8);
    made.writeBigInt64BE(BigInt.asIntN(64, this.value));
    return made;
  }
}
module.exports = (value) => new Whole(value);
module.exports.fromBuffer = (buffer) => new Whole(buffer.readBigInt64BE(0));
