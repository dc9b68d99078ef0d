"""KZG commitments, scrypt, GMAC and VMAC on several threads."""

from . import kzg
from ._parcrypt import __version__, gmac, scrypt, scrypt_many, vmac

__all__ = ["__version__", "gmac", "kzg", "scrypt", "scrypt_many", "vmac"]
