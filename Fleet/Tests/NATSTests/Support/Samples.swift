import NATS

/// Names for tests, which are valid.
func bucketName(_ text: String) -> BucketName { BucketName(text)! }
func key(_ text: String) -> Key { Key(text)! }
func subject(_ text: String) -> Subject { Subject(text)! }
func streamName(_ text: String) -> StreamName { StreamName(text)! }
func consumerName(_ text: String) -> ConsumerName { ConsumerName(text)! }

/// A number as a value, and back.
func bytes(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }
func number(_ bytes: [UInt8]?) -> Int? {
    bytes.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
}
