// A record as one line of text, see program.py: key, value (Buffers or null), timestamp, headers.

export function parseRow(line) {
  const [key, value, timestamp, headers] = line.split(' ')
  return {
    key: content(key),
    value: content(value),
    timestamp: Number(timestamp),
    headers: headers === '-' ? [] : headers.split(',').map((each) => {
      const [name, bytes] = each.split(':')
      return [content(name).toString(), content(bytes)]
    })
  }
}

export function showRow({ key, value, timestamp, headers }) {
  const reported = headers.map(([name, bytes]) => `${word(Buffer.from(name))}:${word(bytes)}`)
  return `${word(key)} ${word(value)} ${timestamp} ${reported.join(',') || '-'}`
}

function content(word) {
  return word === '-' ? null : Buffer.from(word.slice(1), 'hex')
}

function word(bytes) {
  return bytes == null ? '-' : 'x' + Buffer.from(bytes).toString('hex')
}
