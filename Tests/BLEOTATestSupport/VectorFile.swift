import Foundation

/// A file of spec/vectors with a list of vectors.
package struct VectorFile<Vector: Decodable>: Decodable {
    private let vectors: [Vector]

    package static func read(_ name: String) throws -> [Vector] {
        let data = try Repository.bytes(of: "spec/vectors/\(name).json")
        return try JSONDecoder().decode(VectorFile<Vector>.self, from: data).vectors
    }
}
